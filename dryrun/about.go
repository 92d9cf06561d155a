// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

package dryrun

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os/exec"
)

// About asks the engine at path which Kubernetes release it has inside, without a run. Of the Engine
// that it returns, Kubernetes alone is set. An error is an *[EngineError], or one of the operating system.
func About(ctx context.Context, path string) (Engine, error) {
	command := exec.CommandContext(ctx, path, "version")
	command.WaitDelay = patience
	answer, ended := command.Output()
	complaint := ""
	var exit *exec.ExitError
	if errors.As(ended, &exit) {
		complaint = string(exit.Stderr)
	} else if ended != nil && !errors.Is(ended, ctx.Err()) {
		return Engine{}, fmt.Errorf("start the engine %q: %w", path, ended)
	}
	var report Report
	err := json.Unmarshal(answer, &report)
	switch {
	case ctx.Err() != nil:
		return Engine{}, &EngineError{text: fmt.Sprintf("the engine %q did not say in time which Kubernetes it has", path)}
	case err != nil || report.Protocol == 0:
		return Engine{}, &EngineError{text: fmt.Sprintf("the engine %q did not say which Kubernetes it has%s", path, lastWords(ended, complaint))}
	case report.Protocol != Protocol:
		return Engine{}, &EngineError{text: fmt.Sprintf("the engine %q speaks protocol %d, and this program %d: %s", path, report.Protocol, Protocol, buildEngine)}
	}
	return report.Engine, nil
}
