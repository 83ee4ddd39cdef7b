package cassette

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// maxFile is the size of a cassette that is read, in bytes.
const maxFile = 256 << 20

// A File is a cassette that is going to be written. Its name is taken, or
// replaced, only by Commit: until then, and after a failure, what was there stays.
type File struct {
	root *os.Root
	name string // in root
	temp string // likewise
}

// Create prepares to write a cassette at a path below root, which it owns from
// then on. A file that is there is replaced only when it is a cassette or empty:
// a slip of the path must not cost a person's work. The caller calls Commit or
// Abort.
func Create(root *os.Root, name string) (*File, error) {
	c, err := create(root, name)
	if err != nil {
		root.Close()
		return nil, fmt.Errorf("recording to %s: %w", name, err)
	}
	return c, nil
}

func create(root *os.Root, name string) (*File, error) {
	info, err := root.Stat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return nil, plainPathError(err)
	case !info.Mode().IsRegular():
		return nil, errors.New("it is no regular file")
	case info.Size() > 0:
		if _, err := Open(root, name); err != nil {
			return nil, fmt.Errorf("the file is there and is not a cassette, so it is not overwritten; remove it first (%w)", err)
		}
	}
	c := &File{root: root, name: name, temp: filepath.Join(filepath.Dir(name), ".cassette-"+rand.Text())}
	// Whether the folder can be written is known before the run. The file does not
	// stay for it: a tool that lists the folder would record it.
	f, err := c.open()
	if err != nil {
		return nil, plainPathError(err)
	}
	f.Close()
	if err := root.Remove(c.temp); err != nil {
		return nil, plainPathError(err)
	}
	return c, nil
}

func (c *File) open() (*os.File, error) {
	return c.root.OpenFile(c.temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
}

// Commit writes the cassette, readable by its owner alone.
func (c *File) Commit(cassette *Cassette) error {
	err := c.write(cassette)
	if err != nil {
		err = fmt.Errorf("recording to %s: %w", c.name, plainPathError(err))
	}
	c.root.Close()
	return err
}

func (c *File) write(cassette *Cassette) error {
	text, err := cassette.Encode()
	if err != nil {
		return err
	}
	f, err := c.open()
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	err = errors.Join(err, f.Close())
	if err == nil {
		err = c.root.Rename(c.temp, c.name)
	}
	if err != nil {
		_ = c.root.Remove(c.temp)
	}
	return err
}

// Abort leaves everything as it was.
func (c *File) Abort() { c.root.Close() }

// Open reads the cassette at a path below root.
func Open(root *os.Root, name string) (*Cassette, error) {
	info, err := root.Stat(name) // before it is opened: a pipe would wait for its writer
	if err != nil {
		return nil, plainPathError(err)
	}
	if !info.Mode().IsRegular() {
		return nil, errors.New("it is no regular file")
	}
	f, err := root.Open(name)
	if err != nil {
		return nil, plainPathError(err)
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	if err != nil {
		return nil, plainPathError(err)
	}
	if len(text) > maxFile {
		return nil, fmt.Errorf("the file is larger than %d MiB", maxFile>>20)
	}
	return Parse(text)
}

// plainPathError drops the names of system calls: the caller names the file.
func plainPathError(err error) error {
	var p *fs.PathError
	if errors.As(err, &p) {
		return p.Err
	}
	return err
}
