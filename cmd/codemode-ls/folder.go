package main

import (
	"fmt"
	"os"
	"path/filepath"

	"codemode-ls/config"
)

// folder is the workspace's folder, absolute: the one that --workspace names, else the
// closest one upwards from the script, or from the current folder, that looks like a
// project (CLI-9).
func (a *app) folder() (string, error) {
	if a.Workspace != "" {
		dir, err := filepath.Abs(a.Workspace)
		if err != nil {
			return "", err
		}
		if info, err := os.Stat(dir); err != nil || !info.IsDir() {
			return "", &exitError{exitUsage, fmt.Errorf("--workspace %s is not a folder", dir)}
		}
		return dir, nil
	}
	here, err := filepath.Abs(".")
	if err != nil {
		return "", fmt.Errorf("no current folder: %w", err)
	}
	home, err := os.UserHomeDir()
	if err != nil {
		home = ""
	}
	starts := []string{here}
	if a.script != "" {
		starts = []string{filepath.Dir(a.script), here}
	}
	for _, start := range starts {
		if dir := project(start, home); dir != "" {
			return dir, nil
		}
	}
	return here, nil
}

// project is the closest folder upwards that has a file of a workspace, or "". Files
// in the home folder are the user's own, and so make no project of it.
func project(from, home string) string {
	for dir := from; dir != home; dir = filepath.Dir(dir) {
		for _, mark := range config.ProjectMarks() {
			if _, err := os.Stat(filepath.Join(dir, filepath.FromSlash(mark))); err == nil {
				return dir
			}
		}
		if dir == filepath.Dir(dir) {
			break
		}
	}
	return ""
}

// of makes the workspace that of a script or folder; "-" is none.
func (a *app) of(path string) {
	if path == "" || path == "-" {
		return
	}
	path, err := filepath.Abs(path)
	if err != nil {
		return
	}
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		path = filepath.Join(path, "script")
	}
	a.script = path
}
