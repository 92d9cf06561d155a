// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

package lsp

import (
	"context"
	"encoding/json"
	"path/filepath"
	"time"

	protocol "github.com/tliron/glsp/protocol_3_16"

	"github.com/schedconf/schedconf/explain"
	"github.com/schedconf/schedconf/project"
	"github.com/schedconf/schedconf/schemas"
)

// client is what the editor can do.
type client struct {
	Workspace struct {
		Configuration bool `json:"configuration"`
		WorkspaceEdit struct {
			DocumentChanges bool `json:"documentChanges"`
		} `json:"workspaceEdit"`
		DidChangeWatchedFiles struct {
			DynamicRegistration bool `json:"dynamicRegistration"`
		} `json:"didChangeWatchedFiles"`
		DidChangeConfiguration struct {
			DynamicRegistration bool `json:"dynamicRegistration"`
		} `json:"didChangeConfiguration"`
	} `json:"workspace"`
	TextDocument struct {
		Hover struct {
			ContentFormat []protocol.MarkupKind `json:"contentFormat"`
		} `json:"hover"`
	} `json:"textDocument"`
	General struct {
		PositionEncodings []encoding `json:"positionEncodings"`
	} `json:"general"`
}

type initializeParams struct {
	Capabilities          client          `json:"capabilities"`
	InitializationOptions json.RawMessage `json:"initializationOptions"`
}

type capabilities struct {
	protocol.ServerCapabilities
	PositionEncoding encoding `json:"positionEncoding"`
}

type initializeResult struct {
	Capabilities capabilities                        `json:"capabilities"`
	ServerInfo   protocol.InitializeResultServerInfo `json:"serverInfo"`
}

func (s *server) initialize(_ context.Context, params *initializeParams) (any, error) {
	s.lock.Lock()
	defer s.lock.Unlock()
	if err := readSettings(params.InitializationOptions, &s.settings); err != nil {
		return nil, invalid("initializationOptions: %s", err)
	}
	s.client = params.Capabilities
	s.state = running
	yes, sync := true, protocol.TextDocumentSyncKindIncremental
	result := initializeResult{ServerInfo: protocol.InitializeResultServerInfo{Name: "schedconf", Version: &s.version}}
	result.Capabilities = capabilities{protocol.ServerCapabilities{
		TextDocumentSync:       protocol.TextDocumentSyncOptions{OpenClose: &yes, Change: &sync, Save: true},
		HoverProvider:          true,
		CompletionProvider:     &protocol.CompletionOptions{TriggerCharacters: []string{":", " ", "-", "\""}},
		CodeActionProvider:     protocol.CodeActionOptions{CodeActionKinds: []protocol.CodeActionKind{protocol.CodeActionKindQuickFix, fixAll}},
		CodeLensProvider:       &protocol.CodeLensOptions{},
		ExecuteCommandProvider: &protocol.ExecuteCommandOptions{Commands: []string{effectiveCommand}},
	}, negotiate(s.client.General.PositionEncodings)}
	return result, nil
}

// patience is how long an editor may take to answer a request.
const patience = 10 * time.Second

// initialized asks the editor for its settings, and to tell when they change. It answers in its own time.
func (s *server) initialized(*struct{}) error {
	go warm()
	go func() {
		var registrations []protocol.Registration
		if s.client.Workspace.DidChangeWatchedFiles.DynamicRegistration {
			registrations = append(registrations, protocol.Registration{
				ID: "settings-files", Method: "workspace/didChangeWatchedFiles",
				RegisterOptions: map[string]any{"watchers": []map[string]string{{"globPattern": "**/" + project.SettingsFile}}},
			})
		}
		if s.client.Workspace.DidChangeConfiguration.DynamicRegistration {
			registrations = append(registrations, protocol.Registration{
				ID: "settings", Method: "workspace/didChangeConfiguration", RegisterOptions: map[string]string{"section": section},
			})
		}
		if len(registrations) > 0 {
			_, _ = s.ask("client/registerCapability", protocol.RegistrationParams{Registrations: registrations})
		}
		s.pullSettings()
	}()
	return nil
}

// warm reads the schemas of all releases, which the first explanation of a field needs.
func warm() {
	for _, minor := range schemas.Minors() {
		for i, release := 0, schemas.For(minor); i < len(release.APIs); i++ {
			_, _ = explain.OpenSchema(release, &release.APIs[i]) // whoever needs it is told
		}
	}
}

// ask sends a request to the editor. An error means that it cannot, or does not answer.
func (s *server) ask(method string, params any) (json.RawMessage, error) {
	ctx, stop := context.WithTimeout(context.Background(), patience)
	defer stop()
	response, err := s.rpc.Callback(ctx, method, params)
	if err != nil {
		return nil, err
	}
	return json.RawMessage(response.ResultString()), nil
}

// pullSettings asks for the settings of the workspace, if the editor can be asked.
func (s *server) pullSettings() {
	if !s.client.Workspace.Configuration {
		return
	}
	name := section
	answer, err := s.ask("workspace/configuration", protocol.ConfigurationParams{Items: []protocol.ConfigurationItem{{Section: &name}}})
	if err != nil {
		return
	}
	var sections []json.RawMessage
	if json.Unmarshal(answer, &sections) == nil && len(sections) == 1 {
		s.adopt(sections[0])
	}
}

// adopt takes settings over, and judges everything again. What is wrong with them is told.
func (s *server) adopt(data json.RawMessage) {
	s.lock.Lock()
	err := readSettings(data, &s.settings)
	s.lock.Unlock()
	if err != nil {
		s.tell(protocol.MessageTypeError, "the settings of the workspace: "+err.Error())
		return
	}
	s.again()
}

// again judges all open files anew.
func (s *server) again() {
	s.checks.reset()
	s.lookups.reset()
	for _, doc := range s.docs.all() {
		s.docs.renew(doc)
		s.publisher.wake(doc.uri)
	}
}

func (s *server) didChangeConfiguration(params *struct {
	Settings json.RawMessage `json:"settings"`
}) error {
	if s.client.Workspace.Configuration {
		go s.pullSettings()
		return nil
	}
	s.adopt(params.Settings)
	return nil
}

func (s *server) didChangeWatchedFiles(*struct{}) error {
	s.again()
	return nil
}

func (s *server) didSave(params *protocol.DidSaveTextDocumentParams) error {
	if filepath.Base(pathOf(params.TextDocument.URI)) == project.SettingsFile {
		s.again()
	}
	return nil
}

func (s *server) makeTool() (Tool, error) {
	s.lock.Lock()
	settings := s.settings
	s.lock.Unlock()
	return s.newTool(settings, s.docs.read)
}
