package main

import (
	"fmt"
	"math"

	"codemode-ls/catalog"
	"codemode-ls/config"
	"codemode-ls/exec"
	"codemode-ls/permission"
	"codemode-ls/upstream"
	"codemode-ls/workspace"
)

type trustDiff struct {
	Names []string `arg:"" name:"name" help:"A tool's full name, or a server's for all of its tools."`
}

func (trustDiff) Help() string {
	return `A tool that its server has changed since you allowed it always asks once more. This shows how it has changed: the last
known list of the server's tools is compared with the tools as you allowed them. It starts no server.

Examples:
  codemode-ls trust diff mcp__github__create_issue
  codemode-ls trust diff github`
}

func (c *trustDiff) Run(a *app) error {
	o, err := a.options()
	if err != nil {
		return err
	}
	store := permission.OpenStore(permission.StoreOptions{UserDir: o.Sources.UserDir, Folder: o.Sources.Folders[0]})
	all := config.Load(o.Sources)
	a.findings(all)
	known := &permission.Known{Tools: map[string]permission.Server{}}
	var tools []*catalog.Tool
	for _, s := range all.Servers {
		last := upstream.LastTools(o.CacheDir, s)
		if last == nil {
			continue
		}
		for _, t := range last.Tools {
			server := workspace.RuleServer(s, all)
			server.Tool, server.MayChange = t.Pin(), false
			if _, taken := known.Tools[t.Name]; !taken {
				known.Tools[t.Name] = server
				tools = append(tools, t)
			}
		}
	}
	store.SetKnown(known)
	for _, name := range c.Names {
		found, changes := false, 0
		for _, t := range tools {
			if t.Name != name && t.Server != name {
				continue
			}
			found = true
			if was, changed := store.Was(t.Name); changed {
				changes++
				fmt.Fprintf(a.stdout, "%s\n%s\n", single(t.Name), printable(exec.ToolChange(was, t, math.MaxInt)))
			}
		}
		switch {
		case !found:
			return &exitError{exitConfiguration, fmt.Errorf("no tool or server %s is known here; codemode-ls servers lists the tools of the servers again", name)}
		case changes == 0:
			fmt.Fprintf(a.stderr, "%s has not changed since you allowed it.\n", single(name))
		}
	}
	return nil
}
