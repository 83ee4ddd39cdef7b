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

local function encode(value, indent, lines, prefix, comma)
  local list = type(value) == 'table' and (vim.islist or vim.tbl_islist)(value)
  if type(value) ~= 'table' or (next(value) == nil) then
    local empty = type(value) == 'table' and (list and getmetatable(value) == nil and '[]' or '{}')
    lines[#lines + 1] = indent .. prefix .. (empty or vim.json.encode(value)) .. comma
    return
  end
  lines[#lines + 1] = indent .. prefix .. (list and '[' or '{')
  if list then
    for i, v in ipairs(value) do
      encode(v, indent .. '  ', lines, '', i < #value and ',' or '')
    end
  else
    local keys = sorted_keys(value)
    for i, k in ipairs(keys) do
      encode(value[k], indent .. '  ', lines, vim.json.encode(tostring(k)) .. ': ', i < #keys and ',' or '')
    end
  end
  lines[#lines + 1] = indent .. (list and ']' or '}') .. comma
end

--- A value as indented JSON.
function M.json_lines(value)
  local lines = {}
  encode(value, '', lines, '', '')
  return vim.split(M.visible(table.concat(lines, '\n')), '\n', { plain = true })
end

-- A string is folded when it is longer; its head and its tail remain in view.
local max_string, head, tail = 400, 240, 100

-- Where the token that begins at this place ends.
local function token_end(json, at)
  local c = json:sub(at, at)
  if c:find('[%[%]{},:]') then
    return at
  elseif c ~= '"' then
    return (json:find('[%s%[%]{},:"]', at) or #json + 1) - 1
  end
  local from = at + 1
  while true do
    local stop = json:find('["\\]', from)
    if not stop then
      return #json
    elseif json:sub(stop, stop) == '"' then
      return stop
    end
    from = stop + 2
  end
end

--- A JSON text laid out over lines, every token as it is in the text: nothing is
--- sorted, rounded or left out, as it would be by decoding it. Unless whole is
--- given, long strings are folded; the second result says whether any is.
function M.json_text_lines(json, whole)
  local lines, line, depth, folded = {}, '', 0, false
  local function break_line()
    lines[#lines + 1] = line
    line = string.rep('  ', depth)
  end
  local at = json:find('%S') or #json + 1
  while at <= #json do
    local stop = token_end(json, at)
    local token = json:sub(at, stop)
    local next_at = json:find('%S', stop + 1) or #json + 1
    local following = json:sub(next_at, next_at)
    if (token == '{' and following == '}') or (token == '[' and following == ']') then
      line = line .. token .. following
      next_at = json:find('%S', next_at + 1) or #json + 1
    elseif token == '{' or token == '[' then
      line, depth = line .. token, depth + 1
      break_line()
    elseif token == '}' or token == ']' then
      depth = math.max(0, depth - 1)
      break_line()
      line = line .. token
    elseif token == ',' then
      line = line .. token
      break_line()
    elseif token == ':' then
      line = line .. ': '
    else
      local length = vim.fn.strchars(token)
      if not whole and length > max_string then
        folded = true
        token = vim.fn.strcharpart(token, 0, head)
          .. string.format(' … %d more characters … ', length - head - tail)
          .. vim.fn.strcharpart(token, length - tail)
      end
      line = line .. token
    end
    at = next_at
  end
  lines[#lines + 1] = line
  return vim.tbl_map(M.visible, lines), folded
end

return M
