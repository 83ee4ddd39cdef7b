-- Text of servers and scripts, made fit for a person to judge.

local M = {}

-- What cannot be seen or turns the direction of writing, as bytes of UTF-8.
local deceiving = {
  '\194[\128-\159]', -- C1 controls
  '\194\173', -- soft hyphen
  '\216\156', -- Arabic letter mark
  '\226\128[\139-\143]', -- zero width, direction marks
  '\226\128[\168-\174]', -- separators, embeddings, overrides
  '\226\129[\160-\175]', -- joiners, isolates
  '\239\187\191', -- byte order mark
}

local function code_point(bytes)
  return string.format('\\u%04x', vim.fn.char2nr(bytes, true))
end

--- The text with such characters written out, such as \u202e.
function M.visible(text)
  text = tostring(text):gsub('[%z\1-\8\11-\31\127]', function(c)
    return string.format('\\u%04x', c:byte())
  end)
  for _, pattern in ipairs(deceiving) do
    text = text:gsub(pattern, code_point)
  end
  return text
end

--- One line of it, of at most max characters.
function M.line(text, max)
  text = M.visible(vim.trim((tostring(text):gsub('%s+', ' '))))
  max = max or 200
  if vim.fn.strchars(text) > max then
    text = vim.fn.strcharpart(text, 0, max - 1) .. '…'
  end
  return text
end

local function sorted_keys(t)
  local keys = vim.tbl_keys(t)
  table.sort(keys, function(a, b)
    return tostring(a) < tostring(b)
  end)
  return keys
end

local function encode(value, indent, lines, prefix)
  local list = type(value) == 'table' and (vim.islist or vim.tbl_islist)(value)
  if type(value) ~= 'table' or (next(value) == nil) then
    local empty = type(value) == 'table' and (list and getmetatable(value) == nil and '[]' or '{}')
    lines[#lines + 1] = indent .. prefix .. (empty or vim.json.encode(value))
    return
  end
  lines[#lines + 1] = indent .. prefix .. (list and '[' or '{')
  if list then
    for _, v in ipairs(value) do
      encode(v, indent .. '  ', lines, '')
    end
  else
    for _, k in ipairs(sorted_keys(value)) do
      encode(value[k], indent .. '  ', lines, vim.json.encode(tostring(k)) .. ': ')
    end
  end
  lines[#lines + 1] = indent .. (list and ']' or '}')
end

--- A value as indented JSON-like lines, one entry a line.
function M.json_lines(value)
  local lines = {}
  encode(value, '', lines, '')
  return vim.split(M.visible(table.concat(lines, '\n')), '\n', { plain = true })
end

return M
