// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

package validation

import (
	"bytes"
	"path"
	"regexp"
	"strconv"
	"strings"

	"k8s.io/utils/ptr"

	"github.com/schedconf/schedconf/diag"
	"github.com/schedconf/schedconf/scheme/config"
)

// most and least are the strategies with a direction of their own.
const (
	most  = "MostAllocated"
	least = "LeastAllocated"
)

const packingDoc = "MostAllocated, and a RequestedToCapacityRatio whose score rises, fill nodes up. NodeResourcesBalancedAllocation and the default constraints of PodTopologySpread pull the other way, " +
	"and scores are added up by weight. "

var packingAdvice = []Rule{{
	ID:      "packing-outweighed",
	Summary: "a packing strategy has no more weight than the plugins that spread",
	Doc:     packingDoc + "Where they weigh as much as the packing plugin or more, pods are still spread.",
	Bad:     exampleHead + "profiles:\n- pluginConfig:\n  - name: NodeResourcesFit\n    args:\n      scoringStrategy:\n        type: MostAllocated # bad\n",
	Good: exampleHead + "profiles:\n- plugins:\n    score:\n      disabled:\n      - name: NodeResourcesBalancedAllocation\n      - name: PodTopologySpread\n" +
		"  pluginConfig:\n  - name: NodeResourcesFit\n    args:\n      scoringStrategy:\n        type: MostAllocated\n",
	Otherwise: diag.Warning,
	Check: eachPacker(func(p *Pass, path diag.Path, packer string, weight, against int32, spreaders []string) {
		if weight <= against {
			p.Report(path, "disable them at score, or give the packing plugin more weight", "%s packs with weight %d, and %s the other way with weight %d", packer, weight, pull(spreaders), against)
		}
	}),
}, {
	ID:      "packing-mixed",
	Summary: "a packing strategy runs beside plugins that spread, with more weight",
	Doc:     packingDoc + "Where the packing plugin weighs more, they decide between nodes that are about equally full.",
	Bad: exampleHead + "profiles:\n- plugins:\n    score:\n      enabled:\n      - name: NodeResourcesFit\n        weight: 5\n" +
		"  pluginConfig:\n  - name: NodeResourcesFit\n    args:\n      scoringStrategy:\n        type: MostAllocated # bad\n",
	Good: exampleHead + "profiles:\n- plugins:\n    score:\n      disabled:\n      - name: NodeResourcesBalancedAllocation\n      - name: PodTopologySpread\n" +
		"  pluginConfig:\n  - name: NodeResourcesFit\n    args:\n      scoringStrategy:\n        type: MostAllocated\n",
	Otherwise: diag.Info,
	Check: eachPacker(func(p *Pass, path diag.Path, packer string, weight, against int32, spreaders []string) {
		if weight > against {
			p.Report(path, "disable them at score where nodes are to be filled one by one", "%s packs with weight %d, and %s the other way with weight %d", packer, weight, pull(spreaders), against)
		}
	}),
}, {
	ID:      "strategy-contradicts-name",
	Summary: "a scoring strategy spreads where a name or a comment says packing, or the other way round",
	Doc: "A shape whose score falls with utilization prefers empty nodes, as LeastAllocated does; one whose score rises prefers full nodes, as MostAllocated does. " +
		"The finding means that the name of the profile or of the file, or a comment beside the shape, says the opposite.",
	Bad: exampleHead + "profiles:\n- schedulerName: default-scheduler\n- schedulerName: bin-packing\n  pluginConfig:\n  - name: NodeResourcesFit\n    args:\n      scoringStrategy:\n        type: RequestedToCapacityRatio\n" +
		"        requestedToCapacityRatio:\n          shape:\n          - utilization: 0 # bad\n            score: 10\n          - utilization: 100\n            score: 0\n",
	Good: exampleHead + "profiles:\n- schedulerName: default-scheduler\n- schedulerName: bin-packing\n  plugins:\n    score:\n      disabled:\n      - name: NodeResourcesBalancedAllocation\n      - name: PodTopologySpread\n" +
		"  pluginConfig:\n  - name: NodeResourcesFit\n    args:\n      scoringStrategy:\n        type: RequestedToCapacityRatio\n" +
		"        requestedToCapacityRatio:\n          shape:\n          - utilization: 0\n            score: 0\n          - utilization: 100\n            score: 10\n",
	Otherwise: diag.Warning,
	Check:     checkContradiction,
}}

func pull(names []string) string {
	verb := " pull"
	if len(names) == 1 {
		verb = " pulls"
	}
	return words(names) + verb
}

// direction is whether a strategy packs (1) or spreads (-1); 0 is neither.
func direction(strategy *config.ScoringStrategy) int {
	switch {
	case strategy == nil:
		return 0
	case strategy.Type == most:
		return 1
	case strategy.Type == least:
		return -1
	case strategy.Type == ratio && strategy.RequestedToCapacityRatio != nil:
		return slope(strategy.RequestedToCapacityRatio.Shape)
	}
	return 0
}

// slope is the sign of a shape that rises or falls all along.
func slope(shape []config.UtilizationShapePoint) int {
	sign := 0
	for i := 1; i < len(shape); i++ {
		step := 0
		if shape[i].Score > shape[i-1].Score {
			step = 1
		} else if shape[i].Score < shape[i-1].Score {
			step = -1
		}
		if step*sign < 0 {
			return 0
		}
		if step != 0 {
			sign = step
		}
	}
	return sign
}

// packerOf finds the plugin of a profile that packs, with the path of what says so.
func packerOf(p *Pass, profile int) (packer string, at diag.Path) {
	for j, entry := range p.Config.Profiles[profile].PluginConfig {
		switch entry.Name {
		case fit:
			if args, ok := p.typed(entry.Args).(*config.NodeResourcesFitArgs); ok && direction(args.ScoringStrategy) > 0 {
				return fit, p.argsPath(profile, j).Child("scoringStrategy", "type")
			}
		case ratio:
			if args, ok := p.typed(entry.Args).(*config.RequestedToCapacityRatioArgs); ok && slope(args.Shape) > 0 && p.scoreWeight(profile, ratio) > 0 {
				return ratio, p.argsPath(profile, j).Child("shape")
			}
		}
	}
	const plugin = "NodeResources" + most
	// A provider may run it, which is nobody's mistake.
	if hasPlugin(p.plugins(profile)[config.Score].Enabled, plugin) && p.scoreWeight(profile, plugin) > 0 {
		return plugin, p.pluginPath(pointPath(profile, config.Score), plugin)
	}
	return "", nil
}

func eachPacker(report func(p *Pass, path diag.Path, packer string, weight, against int32, spreaders []string)) func(*Pass) {
	return func(p *Pass) {
		for i := range p.Built.Frameworks {
			packer, at := packerOf(p, i)
			weight := int32(0)
			if packer != "" {
				weight = p.scoreWeight(i, packer)
			}
			if weight <= 0 {
				continue
			}
			var names []string
			against := int32(0)
			for _, plugin := range p.running(i, config.Score) {
				if plugin.Name != packer && p.spreads(i, plugin.Name) && ptr.Deref(plugin.Weight, 0) > 0 {
					names = append(names, plugin.Name)
					against += *plugin.Weight
				}
			}
			if len(names) > 0 {
				report(p, at, packer, weight, against, names)
			}
		}
	}
}

// spreads reports whether a score plugin prefers nodes with less on them.
func (p *Pass) spreads(profile int, name string) bool {
	switch name {
	case "NodeResourcesBalancedAllocation", "NodeResources" + least, "SelectorSpread", "DefaultPodTopologySpread":
		return true
	case "PodTopologySpread":
		args, ok := p.typed(p.Built.Frameworks[profile].Args[name]).(*config.PodTopologySpreadArgs)
		if !ok {
			return false
		}
		soft := false
		for _, constraint := range args.DefaultConstraints {
			soft = soft || constraint.WhenUnsatisfiable == "ScheduleAnyway"
		}
		return args.DefaultingType == "System" || soft
	}
	return false
}

var (
	packingWords   = regexp.MustCompile(`(?i)(bin[-_ ]?pack|\bpack(ing|er|ed)?\b|consolidat|most[-_ ]?allocated)`)
	spreadingWords = regexp.MustCompile(`(?i)(\bspread(ing|s|er)?\b|least[-_ ]?allocated)`)
)

// tendency is what a text says: packing (1), spreading (-1), or nothing or both (0).
func tendency(text string) int {
	// Most texts have none of the words, and are not worth the expressions.
	if lower := strings.ToLower(text); !strings.Contains(lower, "pack") && !strings.Contains(lower, "spread") && !strings.Contains(lower, "consolidat") && !strings.Contains(lower, "allocated") {
		return 0
	}
	packs, spreads := packingWords.MatchString(text), spreadingWords.MatchString(text)
	switch {
	case packs && !spreads:
		return 1
	case spreads && !packs:
		return -1
	}
	return 0
}

func checkContradiction(p *Pass) {
	// What defaulting has filled in was not meant by anybody.
	if !bytes.Contains(p.doc.Bytes(), []byte("scoringStrategy")) {
		return
	}
	said := tendency(strings.ReplaceAll(path.Base(p.doc.File), ".", " "))
	comment := 0
	if bytes.Contains(p.doc.Bytes(), []byte("shape:")) {
		comment = shapeComment(p.doc.Bytes())
	}
	for i, profile := range p.Config.Profiles {
		name := tendency(ptr.Deref(profile.SchedulerName, ""))
		if name == 0 && said == 0 && comment == 0 {
			continue
		}
		for j, entry := range profile.PluginConfig {
			args, ok := p.typed(entry.Args).(*config.NodeResourcesFitArgs)
			if !ok || args.ScoringStrategy == nil {
				continue
			}
			runs := direction(args.ScoringStrategy)
			speaker := ""
			switch {
			case runs*name < 0:
				speaker = "schedulerName " + strconv.Quote(*profile.SchedulerName)
			case args.ScoringStrategy.Type == ratio && runs*comment < 0:
				speaker = "the comment at the shape"
			// A file of several profiles has not one direction.
			case runs*said < 0 && name == 0 && len(p.Config.Profiles) == 1:
				speaker = "the name of the file"
			}
			at := p.argsPath(i, j).Child("scoringStrategy")
			if speaker == "" || !p.doc.Has(p.asWritten(at)) {
				continue
			}
			if args.ScoringStrategy.Type == ratio {
				at = at.Child("requestedToCapacityRatio", "shape")
			} else {
				at = at.Child("type")
			}
			p.reportTendency(at, runs, speaker)
		}
	}
}

func (p *Pass) reportTendency(at diag.Path, runs int, speaker string) {
	if runs < 0 {
		p.Report(at, "let the score rise with utilization, as in 0: 0, 100: 10, or use MostAllocated", "this prefers empty nodes, but %s says packing", speaker)
	} else {
		p.Report(at, "let the score fall with utilization, as in 0: 10, 100: 0, or use LeastAllocated", "this prefers full nodes, but %s says spreading", speaker)
	}
}

// shapeComment is what the comments say in front of, beside and within the only shape of a text.
func shapeComment(text []byte) int {
	if bytes.Count(text, []byte("shape:")) != 1 {
		return 0
	}
	lines := strings.Split(string(text), "\n")
	var said strings.Builder
	for k, line := range lines {
		if !strings.Contains(line, "shape:") {
			continue
		}
		first := k
		for first > 0 && strings.HasPrefix(strings.TrimSpace(lines[first-1]), "#") {
			first--
		}
		indent := len(line) - len(strings.TrimLeft(line, " "))
		last := k + 1
		for last < len(lines) && (strings.TrimSpace(lines[last]) == "" || len(lines[last])-len(strings.TrimLeft(lines[last], " -")) > indent) {
			last++
		}
		for _, near := range lines[first:last] {
			if _, comment, ok := strings.Cut(near, "#"); ok {
				said.WriteString(comment + "\n")
			}
		}
	}
	return tendency(said.String())
}
