-- Questions to the person: may a script call a tool (PERM-6), may a server that
-- the workspace names be started (TRUST-1). Both by vim.ui.select, so that any
-- picker takes them; closing one is a denial, or "not now".

local show = require('codemode.show')
local text = require('codemode.text')

local M = {}

local queue = {}
local asking = false

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
      q(function()
        next_question()
      end)
    end)
  end
  next_question()
end

local choices = {
  { label = 'Allow once', answer = { decision = 'allow', scope = 'once' } },
  { label = 'Allow for this run', answer = { decision = 'allow', scope = 'run' } },
  { label = 'Allow for this session', answer = { decision = 'allow', scope = 'session' } },
  { label = 'Always allow in this workspace', answer = { decision = 'allow', scope = 'workspace' } },
  { label = 'Always allow everywhere', answer = { decision = 'allow', scope = 'user' } },
  { label = 'Deny', answer = { decision = 'deny' } },
  { label = 'Deny and stop the run', answer = { decision = 'deny', stop = true } },
}

--- The answers that a question has; those for a loop when the server offers them
--- (PERM-12).
function M.choices_for(p)
  if type(p.loop) ~= 'table' then
    return choices
  end
  local list = { choices[1] }
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
  return vim.list_extend(list, choices, 2)
end

local function label(choice)
  return choice.label
end

--- What the permission prompt says, as lines.
function M.permission_lines(p)
  local lines = {
    'Tool: ' .. text.line(p.tool) .. (p.title and ' (' .. text.line(p.title, 80) .. ')' or ''),
    'Server: ' .. text.line(p.server),
  }
  local marks = {}
  local annotations = type(p.annotations) == 'table' and p.annotations or {}
  for _, mark in ipairs({
    { 'readOnlyHint', 'read-only' },
    { 'destructiveHint', 'destructive' },
    { 'idempotentHint', 'idempotent' },
    { 'openWorldHint', 'reaches the outside world' },
  }) do
    if annotations[mark[1]] == true then
      marks[#marks + 1] = mark[2]
    end
  end
  if #marks > 0 then
    lines[#lines + 1] = 'Its server says: ' .. table.concat(marks, ', ')
  end
  if p.description and p.description ~= '' then
    lines[#lines + 1] = 'Description: ' .. text.line(p.description)
  end
  if p.note and p.note ~= '' then
    lines[#lines + 1] = 'A hook says: ' .. text.line(p.note, 300)
  end
  if p.uri then
    local place = text.line(vim.fn.fnamemodify(vim.uri_to_fname(p.uri), ':t'))
    lines[#lines + 1] = 'Called at: ' .. place .. (p.range and ', line ' .. (p.range.start.line + 1) or '')
  end
  lines[#lines + 1] = ''
  lines[#lines + 1] = 'Arguments:'
  vim.list_extend(lines, text.json_lines(p.arguments or vim.empty_dict()))
  return lines
end

local function ask_permission(params, answered)
  local close = show.question('Permission', M.permission_lines(params))
  vim.ui.select(M.choices_for(params), {
    prompt = 'Allow the script to call ' .. text.line(params.tool) .. '?',
    kind = 'codemode.permission',
    format_item = label,
  }, function(choice)
    close()
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
  local answer
  ask_permission(params, function(a)
    answer = a
  end)
  if not answer then
    vim.notify('Codemode: denied, because this Neovim cannot wait for the picker in use', vim.log.levels.WARN)
  end
  return answer or { decision = 'deny' }
end

local asked = {}

--- What the approval prompt says, as lines.
function M.approval_lines(server)
  local a = server.approval
  local lines = a.refused and { 'You have refused this server before.' } or {}
  if a.url then
    lines[#lines + 1] = 'Address: ' .. text.line(a.url, 400)
  end
  if a.command then
    lines[#lines + 1] = 'Command: ' .. text.line(a.command, 400)
    lines[#lines + 1] = 'Arguments:'
    for _, arg in ipairs(a.args or {}) do
      lines[#lines + 1] = '  ' .. text.visible(vim.json.encode(arg))
    end
  end
  for _, fact in ipairs({ { 'cwd', 'Folder' }, { 'env', 'Environment variables' }, { 'headers', 'Headers' } }) do
    local value = a[fact[1]]
    if type(value) == 'table' and #value > 0 then
      lines[#lines + 1] = fact[2] .. ': ' .. text.line(table.concat(value, ', '), 400)
    elseif type(value) == 'string' and value ~= '' then
      lines[#lines + 1] = fact[2] .. ': ' .. text.line(value, 400)
    end
  end
  if server.file then
    lines[#lines + 1] = 'Named in: ' .. text.line(server.file, 400)
  end
  return lines
end

local function approve(client, server)
  ask(function(done)
    local close = show.question('Approval', M.approval_lines(server))
    local options = { 'Start', 'Never', 'Not now' }
    vim.ui.select(options, { prompt = 'Start the MCP server "' .. text.line(server.name, 80) .. '" that this workspace names?' }, function(choice)
      close()
      if choice == 'Start' or choice == 'Never' then
        local params = { name = server.name, hash = server.approval.hash, decision = choice == 'Start' and 'allow' or 'deny' }
        local handler = function(err)
          if err then
            vim.notify('Codemode: ' .. err.message, vim.log.levels.ERROR)
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
