-- What is shown: results, catalog, servers and questions, in plain buffers.

local text = require('codemode.text')

local M = {}

-- A read-only scratch buffer of this name, with these lines, in a split.
local function open(name, lines, syntax)
  local buffer = vim.fn.bufnr('^' .. name .. '$')
  if buffer == -1 then
    buffer = vim.api.nvim_create_buf(false, true)
    vim.api.nvim_buf_set_name(buffer, name)
  end
  vim.bo[buffer].buftype = 'nofile'
  vim.bo[buffer].bufhidden = 'hide'
  vim.bo[buffer].swapfile = false
  vim.bo[buffer].modifiable = true
  vim.api.nvim_buf_set_lines(buffer, 0, -1, false, lines)
  vim.bo[buffer].modifiable = false
  vim.bo[buffer].syntax = syntax or ''
  if vim.fn.bufwinid(buffer) == -1 then
    local back = vim.api.nvim_get_current_win()
    vim.cmd('botright split')
    vim.api.nvim_win_set_buf(0, buffer)
    vim.api.nvim_win_set_height(0, math.max(8, math.min(#lines + 1, math.floor(vim.o.lines / 2))))
    vim.api.nvim_set_current_win(back)
  end
  return buffer
end

local function add(lines, title, more)
  if #more > 0 then
    vim.list_extend(lines, { '', title })
    vim.list_extend(lines, more)
  end
end

local function split(value)
  return vim.split(text.visible(value), '\n', { plain = true })
end

--- The lines of a result: status, error, value, calls, log, warnings.
function M.result_lines(r, dry)
  local calls_made = string.format('%d tool call%s', #r.calls, #r.calls == 1 and '' or 's')
  local lines = { string.format('%s in %.1f s, %s%s', r.status, r.timing.wallMs / 1000, calls_made, dry and ', dry run' or '') }
  if r.error then
    local place = r.error.range and ('line ' .. (r.error.range.start.line + 1) .. ': ') or ''
    add(lines, 'Error', split(place .. r.error.name .. ': ' .. r.error.message))
  end
  if type(r.valueOmitted) == 'table' then
    local where = type(r.valueOmitted.artifact) == 'string' and ', is in ' .. text.visible(r.valueOmitted.artifact) or ''
    add(lines, 'Value', { string.format('  left out: it has %.1f MiB%s', r.valueOmitted.bytes / 1024 / 1024, where) })
  elseif r.hasValue then
    add(lines, 'Value', type(r.value) == 'string' and split(r.value) or text.json_lines(r.value == nil and vim.NIL or r.value))
  end
  local calls = {}
  for _, c in ipairs(r.calls) do
    local time = c.timing and string.format(' (%d ms)', c.timing.totalMs) or ''
    local place = c.range and (', line ' .. (c.range.start.line + 1)) or ''
    local verdicts = { allow = 'would be allowed', ask = 'would ask', deny = 'would be denied' }
    calls[#calls + 1] = '  ' .. (dry and verdicts[c.verdict] or c.status) .. '  ' .. text.line(c.tool) .. place .. time
    if c.error then
      calls[#calls + 1] = '      ' .. text.line(c.error, 500)
    end
  end
  add(lines, 'Calls', calls)
  local logs = {}
  for _, l in ipairs(r.logs) do
    for i, line in ipairs(split(l.text)) do
      logs[#logs + 1] = (i == 1 and string.format('  %-5s  ', l.level) or '         ') .. line
    end
  end
  add(lines, 'Log', logs)
  local output = {}
  for _, o in ipairs(r.output) do
    vim.list_extend(output, o.type == 'text' and split(o.text) or { '  an image of type ' .. text.line(o.mimeType) })
  end
  add(lines, 'Output', output)
  local warnings = {}
  for _, w in ipairs(r.warnings) do
    warnings[#warnings + 1] = '  ' .. (w.path and text.line(w.path) .. ': ' or '') .. text.line(w.message, 500)
  end
  add(lines, 'Warnings', warnings)
  return lines
end

function M.result(r, dry)
  return open('codemode://result', M.result_lines(r, dry))
end

--- The catalog's text, byte for byte but for characters that deceive.
function M.catalog(c)
  return open('codemode://catalog', split(c.text), 'typescript')
end

function M.servers(list)
  local lines = {}
  for _, s in ipairs(list) do
    lines[#lines + 1] = string.format('%s: %s, %d tools (%s)', text.line(s.name, 80), s.approval and s.approval.refused and 'refused' or s.status, s.tools, text.line(s.source or ''))
    for _, detail in ipairs({ s.error or '', s.stderr or '' }) do
      if detail ~= '' then
        for _, line in ipairs(split(detail)) do
          lines[#lines + 1] = '  ' .. line
        end
      end
    end
  end
  return open('codemode://servers', #lines > 0 and lines or { 'No MCP server is configured.' })
end

-- The lines, broken so that none is wider than the window: a window scrolls by
-- lines, and one that is higher than the window could not be read to its end.
local function wrapped(lines, width)
  local out = {}
  for _, line in ipairs(lines) do
    local rest = line
    repeat
      local n = vim.fn.strchars(rest)
      while n > 1 and vim.fn.strdisplaywidth(vim.fn.strcharpart(rest, 0, n)) > width do
        n = math.max(1, n - math.max(1, math.floor((vim.fn.strdisplaywidth(vim.fn.strcharpart(rest, 0, n)) - width) / 2)))
      end
      out[#out + 1] = vim.fn.strcharpart(rest, 0, n)
      rest = vim.fn.strcharpart(rest, n)
    until rest == ''
  end
  return out
end

--- Shows the facts of a question over the editor, in a window as high as they are
--- when wrapped, and no higher than leaves room for a list of so many answers.
--- Returns the window: close, set, scroll (by pages), more_above, more_below.
function M.question(title, lines, answers)
  local buffer = vim.api.nvim_create_buf(false, true)
  local window, top, shown
  local q = {}

  local function draw()
    local width = vim.fn.strdisplaywidth(title) + 4
    for _, line in ipairs(lines) do
      width = math.max(width, vim.fn.strdisplaywidth(line))
    end
    width = math.max(1, math.min(width, vim.o.columns - 6))
    shown = wrapped(lines, width)
    -- Three answers for scrolling may join those of the question; the prompt and
    -- the border take the rest.
    local room = vim.o.lines - (answers or 0) - 3 - 6
    local config = {
      relative = 'editor',
      row = 0,
      col = 2,
      width = width,
      height = math.max(1, math.min(#shown, math.max(room, 5))),
    }
    vim.api.nvim_buf_set_lines(buffer, 0, -1, false, shown)
    if window then
      vim.api.nvim_win_set_config(window, config)
    else
      window = vim.api.nvim_open_win(buffer, false, vim.tbl_extend('error', config, { style = 'minimal', border = 'rounded', focusable = true, zindex = 40 }))
      vim.wo[window].wrap = false
      vim.wo[window].scrolloff = 0
    end
    top = 1
    q.scroll(0)
  end

  local function last_top()
    return math.max(1, #shown - vim.api.nvim_win_get_height(window) + 1)
  end
  function q.scroll(pages)
    top = math.max(1, math.min(last_top(), top + pages * vim.api.nvim_win_get_height(window)))
    vim.api.nvim_win_call(window, function()
      vim.fn.winrestview({ topline = top, lnum = top, col = 0 })
    end)
    vim.cmd('redraw')
  end
  function q.more_below()
    return top < last_top()
  end
  function q.more_above()
    return top > 1
  end
  function q.set(facts)
    lines = facts
    draw()
  end
  function q.close()
    if vim.api.nvim_win_is_valid(window) then
      vim.api.nvim_win_close(window, true)
    end
    if vim.api.nvim_buf_is_valid(buffer) then
      vim.api.nvim_buf_delete(buffer, { force = true })
    end
  end
  draw()
  return q
end

return M
