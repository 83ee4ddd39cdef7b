-- Questions to the person: may a script call a tool (PERM-6), may a server that
-- the workspace names be started (TRUST-1). Both by vim.ui.select, so that any
-- picker takes them; closing one is a denial, or "not now".

local show = require('codemode.show')
local text = require('codemode.text')

local M = {}

local queue = {}
local asking = false

-- Whether somebody is in the middle of typing: keys meant for their text must not
-- answer a question.
local function typing()
  return vim.api.nvim_get_mode().mode:find('^[iRtcsS]') ~= nil
end

-- Calls done as soon as nobody types.
local function when_idle(done)
  if not typing() then
    return done()
  end
  vim.notify('Code Mode: a question waits until you leave insert mode', vim.log.levels.WARN)
  vim.api.nvim_create_autocmd('ModeChanged', {
    pattern = '*:n*',
    once = true,
    callback = function()
      vim.schedule(function()
        when_idle(done)
      end)
    end,
  })
end

-- Asks one question after the other.
local function ask(question)
  queue[#queue + 1] = question
  if asking then
    return
  end
  asking = true
  local function next_question()
    local q = table.remove(queue, 1)
    if not q then
      asking = false
      return
    end
    vim.schedule(function()
      when_idle(function()
        q(next_question)
      end)
    end)
  end
  next_question()
end

-- A denial is the first, which pickers choose by themselves.
local choices = {
  { label = 'Deny', answer = { decision = 'deny' } },
  { label = 'Allow once', answer = { decision = 'allow', scope = 'once' } },
  { label = 'Allow for this run', answer = { decision = 'allow', scope = 'run' } },
  { label = 'Allow for this session', answer = { decision = 'allow', scope = 'session' } },
  { label = 'Always allow in this workspace', answer = { decision = 'allow', scope = 'workspace' } },
  { label = 'Always allow everywhere', answer = { decision = 'allow', scope = 'user' } },
  { label = 'Deny and stop the run', answer = { decision = 'deny', stop = true } },
}

--- The answers that a question has; those for a loop when the server offers them
--- (PERM-12).
function M.choices_for(p)
  if type(p.loop) ~= 'table' then
    return choices
  end
  local list = { choices[1], choices[2] }
  list[#list + 1] = { label = 'Allow 10 calls in this run', answer = { decision = 'allow', scope = 'loop', calls = 10 } }
  local words = { exact = 'is', prefix = 'starts with', glob = 'matches' }
  for _, c in ipairs(p.loop.suggestions or {}) do
    list[#list + 1] = {
      label = 'Allow in this run while '
        .. text.line(c.field, 60)
        .. ' '
        .. (words[c.match] or c.match)
        .. ' '
        .. text.line(vim.json.encode(c.value), 200),
      answer = { decision = 'allow', scope = 'loop', ['while'] = c },
    }
  end
  return vim.list_extend(list, choices, 3)
end

local function label(choice)
  return choice.label
end

--- What the permission prompt says, as lines: the tool and what is sent before
--- anything that a server says of itself (PERM-15). The second result says whether
--- something is folded.
function M.permission_lines(p, whole)
  local annotations = type(p.annotations) == 'table' and p.annotations or {}
  local lines = { text.line(p.tool, 240) .. (annotations.destructiveHint == true and '  [destructive]' or ''), '' }
  local arguments, folded = text.json_text_lines(p.argumentsText or vim.json.encode(p.arguments or vim.empty_dict()), whole)
  vim.list_extend(lines, arguments)
  lines[#lines + 1] = ''
  if p.uri then
    local place = text.line(vim.fn.fnamemodify(vim.uri_to_fname(p.uri), ':t'))
    lines[#lines + 1] = 'Called at: ' .. place .. (p.range and ', line ' .. (p.range.start.line + 1) or '')
  end
  lines[#lines + 1] = 'Server: ' .. text.line(p.server)
  if type(p.waiting) == 'number' and p.waiting > 0 then
    lines[#lines + 1] = string.format('%d more wait for an answer', p.waiting)
  end
  if p.note and p.note ~= '' then
    lines[#lines + 1] = 'A hook says: ' .. text.line(p.note, whole and 100000 or 300)
  end
  if p.changed and p.changed ~= '' then
    lines[#lines + 1] = 'Its server has changed this tool since you allowed it:'
    for _, line in ipairs(vim.split(p.changed, '\n')) do
      lines[#lines + 1] = '  ' .. text.line(line, whole and 100000 or 200)
    end
  end
  local marks = {}
  for _, mark in ipairs({
    { 'readOnlyHint', 'read-only' },
    { 'destructiveHint', 'destructive' },
    { 'idempotentHint', 'idempotent' },
    { 'openWorldHint', 'open world' },
  }) do
    if annotations[mark[1]] == true then
      marks[#marks + 1] = mark[2]
    end
  end
  if #marks > 0 then
    lines[#lines + 1] = 'Its server says: ' .. table.concat(marks, ', ')
  end
  local described = vim.tbl_filter(function(t)
    return type(t) == 'string' and t ~= ''
  end, { p.title or '', p.description or '' })
  if #described > 0 then
    lines[#lines + 1] = 'Described as: ' .. text.line(table.concat(described, ' - '), whole and 100000 or 300)
  end
  return lines, folded
end

-- An answer that comes sooner is the end of something typed before (VSC-3).
M.reading_ms = 800

-- Asks with the facts in a window. The window scrolls by choices of its own, which
-- works with any picker, also with one that keeps the keyboard.
-- lines(whole) gives the facts; items have a label.
local function ask_with_window(title, prompt, kind, lines, items, answered)
  local whole = false
  local facts, folded = lines(whole)
  local window = show.question(title, facts, #items)
  local shown = vim.loop.now()
  local function select()
    local list = vim.list_extend({}, items)
    if window.more_below() then
      list[#list + 1] = { label = 'Scroll down', scroll = 1 }
    end
    if window.more_above() then
      list[#list + 1] = { label = 'Scroll up', scroll = -1 }
    end
    if folded then
      list[#list + 1] = { label = 'Show everything', unfold = true }
    end
    vim.ui.select(list, { prompt = prompt, kind = kind, format_item = label }, function(choice)
      if choice and choice.scroll then
        window.scroll(choice.scroll)
        return select()
      elseif choice and choice.unfold then
        whole, folded = true, false
        window.set(lines(whole))
        return select()
      elseif choice and choice.grants and vim.loop.now() - shown < M.reading_ms then
        return select()
      end
      window.close()
      answered(choice)
    end)
  end
  select()
end

local function grants(choice)
  return choice.answer.decision == 'allow'
end

local function ask_permission(params, answered)
  local items = vim.tbl_map(function(c)
    return { label = c.label, answer = c.answer, grants = grants(c) }
  end, M.choices_for(params))
  ask_with_window('Permission', 'Allow the script to call ' .. text.line(params.tool) .. '?', 'codemode.permission', function(whole)
    return M.permission_lines(params, whole)
  end, items, function(choice)
    answered(choice and choice.answer or { decision = 'deny' })
  end)
end

--- Answers codemode/permission. What a handler returns is sent as the answer.
--- From Neovim 0.9 on a handler runs in a coroutine and can wait there, while the
--- editor lives on. Before that the question has to be answered at once, which
--- the built-in vim.ui.select does; a picker that comes back later cannot be
--- waited for, and its question counts as closed.
function M.permission(_, params)
  local co, main = coroutine.running()
  if co and not main then
    ask(function(done)
      ask_permission(params, function(answer)
        done()
        coroutine.resume(co, answer)
      end)
    end)
    return coroutine.yield()
  end
  if typing() then
    vim.notify('Code Mode: ' .. text.line(params.tool) .. ' was denied: it needs your permission while you type, and this Neovim cannot wait', vim.log.levels.WARN)
    return { decision = 'deny', reason = 'nobody could be asked: the person was typing' }
  end
  local answer
  ask_permission(params, function(a)
    answer = a
  end)
  if not answer then
    vim.notify('Code Mode: denied, because this Neovim cannot wait for the picker in use', vim.log.levels.WARN)
  end
  return answer or { decision = 'deny' }
end

local asked = {}

--- What the approval prompt says, as lines: everything that is approved, uncut.
function M.approval_lines(server)
  local a = server.approval
  local lines = a.refused and { 'You have refused this server before.' } or {}
  local function fact(title, value)
    if type(value) == 'table' and #value > 0 then
      lines[#lines + 1] = title .. ': ' .. text.visible(table.concat(value, ', '))
    elseif type(value) == 'string' and value ~= '' then
      lines[#lines + 1] = title .. ': ' .. text.visible((value:gsub('\n', '\\n')))
    end
  end
  fact('Address', a.url)
  fact('Command', a.command)
  for _, argument in ipairs(a.args or {}) do
    lines[#lines + 1] = '  ' .. text.visible(vim.json.encode(argument))
  end
  fact('Folder', a.cwd)
  fact('Environment variables', a.env)
  fact('Headers', a.headers)
  local reads = {}
  for _, read in ipairs(type(a.reads) == 'table' and a.reads or {}) do
    reads[#reads + 1] = read.name .. ' -> ' .. read.to
  end
  fact('Reads', reads)
  fact('Defined in', server.file)
  return lines
end

local function approve(client, server)
  ask(function(done)
    local items = {
      { label = 'Not now' },
      { label = server.approval.url and 'Connect' or 'Start', decision = 'allow', grants = true },
      { label = 'Never', decision = 'deny' },
    }
    local prompt = items[2].label .. ' the MCP server "' .. text.line(server.name, 80) .. '" that this workspace names?'
    ask_with_window('Approval', prompt, 'codemode.approval', function()
      return M.approval_lines(server)
    end, items, function(choice)
      if choice and choice.decision then
        local params = { name = server.name, hash = server.approval.hash, decision = choice.decision }
        local handler = function(err)
          if err then
            vim.notify('Code Mode: ' .. err.message, vim.log.levels.ERROR)
          end
        end
        if vim.fn.has('nvim-0.11') == 1 then
          client:request('codemode/approveServer', params, handler)
        else
          client.request('codemode/approveServer', params, handler)
        end
      end
      done()
    end)
  end)
end

--- Asks about each server that waits and was not asked about in this session. One that
--- was refused, now or in a session before, does not wait.
function M.servers_changed(_, servers, ctx)
  local client = vim.lsp.get_client_by_id(ctx.client_id)
  for _, server in ipairs(servers or {}) do
    if client and server.approval and not server.approval.refused and not asked[server.approval.hash] then
      asked[server.approval.hash] = true
      approve(client, server)
    end
  end
end

--- Asks again about all that are not approved: whoever looks at the list may change
--- their mind about a refused one too.
function M.review(client, servers)
  for _, server in ipairs(servers) do
    if server.approval then
      approve(client, server)
    end
  end
end

return M
