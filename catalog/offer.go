package catalog

import (
	"sync"

	"codemode-ls/typegen"
)

// Offer is what the scripts of a session have beside the pool. It shows in the
// .d.ts, and never in the catalog text.
type Offer struct {
	Files    bool // the setting exec.files: readText and writeText
	Models   bool // a client that offers models
	Extended bool // the setting exec.globals: global names too, see Globals
	// Results are types of results that no server declares; nil: nothing is known.
	Results *Results
	// ShowResults is the setting catalog.seenResults: the catalog text has them, too.
	ShowResults bool
}

// has are the needs that the offer meets.
func (o Offer) has() (has []Need) {
	if o.Files {
		has = append(has, FileAccess)
	}
	if o.Models {
		has = append(has, Models)
	}
	return has
}

// Offering is the same pool with what scripts have beside it.
func (c *Catalog) Offering(o Offer) *Catalog {
	if o == c.offer {
		return c
	}
	offering := *c // shares all that does not depend on the offer
	offering.offer = o
	offering.declarations = sync.OnceValue(offering.declareAll)
	offering.style.results = nil
	if o.ShowResults {
		offering.style.results = o.Results
	}
	return &offering
}

// Offer is what scripts have beside the pool.
func (c *Catalog) Offer() Offer { return c.offer }

// Members are the functions of tools["$codemode"] that scripts have.
func (c *Catalog) Members() []Member { return MembersWith(c.offer.has()...) }

// Member is one of Members; false when there is none with that name, or scripts
// do not have it.
func (c *Catalog) Member(name string) (Member, bool) {
	return memberOf(c.Members(), name)
}

// declareAll is the .d.ts of everything that scripts have.
func (c *Catalog) declareAll() *typegen.File {
	parts := make([]*typegen.Declaration, len(c.tools))
	for i, t := range c.tools {
		parts[i] = t.declare(c.offer.Results)
	}
	more := c.offer.Results.support()
	if c.offer.Extended {
		more = append(more, declareGlobals(c.Members()))
	}
	return typegen.Assemble(parts, declareMembers(c.Members()), more...)
}
