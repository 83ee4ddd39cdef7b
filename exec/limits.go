package exec

import (
	"fmt"
	"slices"
	"time"

	"codemode-ls/config"
	"codemode-ls/script"
)

// limitsOf puts together settings, request and the script's options line. The
// last two may raise a limit up to its ceiling (EXEC-15).
func limitsOf(l config.Limits, q Request, o script.Options) config.Limits {
	pick := func(option *int, request int) int {
		if option != nil {
			return *option
		}
		return max(request, 0)
	}
	duration := func(into *time.Duration, name string, ms int) {
		if ms > 0 {
			*into = time.Duration(min(ms, ceiling(name))) * time.Millisecond
		}
	}
	number := func(into *int, name string, n int) {
		if n > 0 {
			*into = min(n, ceiling(name))
		}
	}
	duration(&l.Timeout, "exec.timeoutMs", pick(o.TimeoutMs, q.TimeoutMs))
	duration(&l.Active, "exec.activeMs", pick(nil, q.ActiveMs))
	number(&l.MaxToolCalls, "exec.maxToolCalls", pick(o.MaxToolCalls, q.MaxToolCalls))
	number(&l.MaxOutputTokens, "exec.maxOutputTokens", pick(o.MaxOutputTokens, q.MaxOutputTokens))
	return l
}

// settingOfOption are the settings that a script's options line overrides.
var settingOfOption = map[string]string{
	"timeout_ms": "exec.timeoutMs", "max_tool_calls": "exec.maxToolCalls", "max_output_tokens": "exec.maxOutputTokens",
}

// Lowered names the options of a script that are above their ceilings, and therefore
// lowered.
func Lowered(o script.Options) (list []Warning) {
	for _, g := range o.Given {
		setting := settingOfOption[g.Name]
		if most := ceiling(setting); g.Value > most {
			list = append(list, Warning{Range: &g.Range, Message: fmt.Sprintf(
				"the option %s is lowered from %d to %d, the ceiling of the setting codemode.%s", g.Name, g.Value, most, setting)})
		}
	}
	return list
}

// ceiling is the highest value of a setting (09-limits).
func ceiling(name string) int {
	return settingNamed(name).Ceiling
}

func settingNamed(name string) config.Setting {
	settings := config.Settings()
	return settings[slices.IndexFunc(settings, func(s config.Setting) bool { return s.Name == name })]
}

// budget describes the budget that ended the run; nil for none.
func (x *run) budget() *Budget {
	if x.endedBy == "" {
		return nil
	}
	s := settingNamed(x.endedBy)
	b := &Budget{Setting: s.Name, Value: s.In(&config.Config{Limits: x.limits}), Unit: s.Unit}
	atMost := fmt.Sprintf("at most %d", s.Ceiling)
	option := ""
	for name, setting := range settingOfOption {
		if setting == s.Name {
			option = name
		}
	}
	isGiven := func(g script.GivenOption) bool { return g.Name == option }
	q := x.request
	requested := map[string]int{"exec.timeoutMs": q.TimeoutMs, "exec.activeMs": q.ActiveMs, "exec.maxToolCalls": q.MaxToolCalls}[s.Name] > 0
	switch {
	case b.Value >= s.Ceiling:
		b.Raise = "It is at its ceiling. Divide the work into several scripts."
	case slices.ContainsFunc(x.options.Given, isGiven):
		b.Raise = fmt.Sprintf("Raise %s in the script's first line (%s).", option, atMost)
	default:
		where := "the setting codemode." + s.Name
		if requested {
			where = "the budget that the run was started with"
		}
		if option == "" {
			b.Raise = fmt.Sprintf("Raise %s (%s).", where, atMost)
			break
		}
		b.Raise = fmt.Sprintf("Begin the script with // @options: {\"%s\": %d}, or raise %s (%s).", option, min(max(2*b.Value, 1), s.Ceiling), where, atMost)
	}
	return b
}
