package script

import (
	"bytes"
	"strings"
)

// Rebase says by how much the coordinates in a source map are moved.
type Rebase struct {
	GeneratedColumns int
	Lines            int // of the author's text
	Columns          int // of the author's text
}

// RebaseMap moves the coordinates of a version 3 source map. All but the
// generated columns are relative to the segment before, so only the first
// segment of each line is rewritten. A map that cannot be read is returned as
// it is.
func RebaseMap(m []byte, by Rebase) []byte {
	first := true
	return editMappings(m, func(line string) string {
		segment, rest, more := strings.Cut(line, ",")
		fields := decodeVLQ(segment)
		if len(fields) == 0 {
			return line
		}
		fields[0] += by.GeneratedColumns
		if first && len(fields) >= 4 {
			fields[2] += by.Lines
			fields[3] += by.Columns
			first = false
		}
		if more {
			return encodeVLQ(fields) + "," + rest
		}
		return encodeVLQ(fields)
	})
}

// editMappings calls edit for each line of the mappings of a source map. A map that
// cannot be read is returned as it is.
func editMappings(m []byte, edit func(line string) string) []byte {
	const key = `"mappings": "`
	start := bytes.Index(m, []byte(key))
	if start < 0 {
		return m
	}
	start += len(key)
	end := bytes.IndexByte(m[start:], '"')
	if end < 0 {
		return m
	}
	lines := strings.Split(string(m[start:start+end]), ";")
	for i, line := range lines {
		lines[i] = edit(line)
	}
	out := append([]byte{}, m[:start]...)
	out = append(out, strings.Join(lines, ";")...)
	return append(out, m[start+end:]...)
}

// foldLines moves the author's coordinates in a source map from the lines of the
// language, whose starts are given, to those of LSP. Without starts the map stays as
// it is.
func foldLines(m []byte, starts []Position) []byte {
	if starts == nil {
		return m
	}
	var from, to Position // of the segment before
	return editMappings(m, func(line string) string {
		segments := strings.Split(line, ",")
		for i, segment := range segments {
			fields := decodeVLQ(segment)
			if len(fields) < 4 {
				continue
			}
			from.Line += fields[2]
			from.Character += fields[3]
			at := from
			if from.Line >= 0 && from.Line < len(starts) {
				at = starts[from.Line]
				at.Character += from.Character
			}
			fields[2], fields[3] = at.Line-to.Line, at.Character-to.Character
			to = at
			segments[i] = encodeVLQ(fields)
		}
		return strings.Join(segments, ",")
	})
}

const vlqDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"

func decodeVLQ(s string) (fields []int) {
	value, shift := 0, 0
	for i := range len(s) {
		d := strings.IndexByte(vlqDigits, s[i])
		if d < 0 || shift > 40 {
			return nil
		}
		value |= (d & 31) << shift
		if d&32 != 0 {
			shift += 5
			continue
		}
		if value&1 != 0 {
			value = -(value >> 1)
		} else {
			value >>= 1
		}
		fields = append(fields, value)
		value, shift = 0, 0
	}
	return fields
}

func encodeVLQ(fields []int) string {
	var b strings.Builder
	for _, v := range fields {
		u := v << 1
		if v < 0 {
			u = -v<<1 | 1
		}
		for {
			d := u & 31
			u >>= 5
			if u > 0 {
				d |= 32
			}
			b.WriteByte(vlqDigits[d])
			if u == 0 {
				break
			}
		}
	}
	return b.String()
}
