-- A session with the plugin, in a headless Neovim started by run.sh.

local passed, failed = 0, 0

local function check(name, ok, got)
  if ok then
    passed = passed + 1
  else
    failed = failed + 1
  end
  io.stdout:write((ok and 'ok   ' or 'FAIL ') .. name .. (ok and '' or ': got ' .. vim.inspect(got)) .. '\n')
  if not ok then
    error('the rest would fail because of it', 0)
  end
end

-- Nothing here measures time: a check fails when it never becomes true.
local function wait_for(name, is)
  local value
  local ok = vim.wait(120000, function()
    value = is()
    return value
  end, 20)
  check(name, ok, value)
  return value
end

-- A person: answers each question by what it is about, and remembers it.
local questions = {}
local answers = { { 'Start the MCP server', 'Start' } }
vim.ui.select = function(items, options, on_choice)
  local format = options.format_item or tostring
  local float = {}
  for _, w in ipairs(vim.api.nvim_list_wins()) do
    if vim.api.nvim_win_get_config(w).relative ~= '' then
      vim.list_extend(float, vim.api.nvim_buf_get_lines(vim.api.nvim_win_get_buf(w), 0, -1, false))
    end
  end
  questions[#questions + 1] = options.prompt .. '\n' .. table.concat(float, '\n')
  for _, a in ipairs(answers) do
    if options.prompt:find(a[1], 1, true) then
      for i, item in ipairs(items) do
        if format(item) == a[2] then
          return on_choice(item, i)
        end
      end
    end
  end
  on_choice(nil, nil)
end

local function lines_of(name)
  local buffer = vim.fn.bufnr('^' .. name .. '$')
  return buffer == -1 and '' or table.concat(vim.api.nvim_buf_get_lines(buffer, 0, -1, false), '\n')
end

local function request(buffer, client, method, params)
  local r = vim.lsp.buf_request_sync(buffer, method, params, 120000) or {}
  return (r[client] or {}).result
end

local ok, err = xpcall(function()
  vim.cmd('runtime plugin/codemode.lua')
  vim.cmd('runtime ftdetect/codemode.lua')
  require('codemode').setup({
    cmd = { vim.env.CODEMODE_LS, 'lsp' },
    settings = { mcpServers = { box = { command = vim.env.CODEMODE_LS, args = { 'demo' } } } },
  })

  -- Attach
  vim.cmd('edit broken.exec.ts')
  local broken = vim.api.nvim_get_current_buf()
  check('file type', vim.bo[broken].filetype == 'codemode', vim.bo[broken].filetype)
  local client = wait_for('attached', function()
    return select(2, next(vim.lsp.buf_get_clients(broken)))
  end)
  check('root', client.config.root_dir == vim.loop.fs_realpath(vim.loop.cwd()) or client.config.root_dir == vim.loop.cwd(), client.config.root_dir)

  -- TRUST-1: the workspace's server is asked about, with what would be started
  wait_for('the workspace\'s server is asked about', function()
    return questions[1] and questions[1]:find('"local"', 1, true) and questions[1]:find('demo', 1, true)
  end)

  -- DIAG-1
  wait_for('diagnostics', function()
    for _, d in ipairs(vim.diagnostic.get(broken)) do
      if d.lnum == 2 and d.message:find('string') then
        return true
      end
    end
  end)

  vim.cmd('edit add.exec.ts')
  local script = vim.api.nvim_get_current_buf()
  check('one server for the workspace', vim.deep_equal(vim.tbl_keys(vim.lsp.buf_get_clients(script)), { client.id }))
  local document = { uri = vim.uri_from_bufnr(script) }

  -- COMP-1
  local line = vim.api.nvim_buf_get_lines(script, 1, 2, false)[1]
  local _, dot = line:find('tools.', 1, true)
  wait_for('completion offers the tools of both servers', function()
    local r = request(script, client.id, 'textDocument/completion', { textDocument = document, position = { line = 1, character = dot } })
    local labels = {}
    for _, item in ipairs(r and (r.items or r) or {}) do
      labels[item.label] = true
    end
    return labels['mcp__box__add'] and labels['mcp__local__add']
  end)

  -- HOV-1
  wait_for('hover', function()
    local r = request(script, client.id, 'textDocument/hover', { textDocument = document, position = { line = 1, character = dot + 3 } })
    return r and vim.inspect(r.contents):find('mcp__box__add', 1, true)
  end)

  -- TRUST-1: one that was refused in a session before is not asked about
  check('a refused server is not asked about', not vim.inspect(questions):find('unwanted', 1, true), questions)

  -- PERM-7: closing the question denies
  questions = {}
  vim.cmd('CodemodeRun')
  wait_for('a closed question denies', function()
    return lines_of('codemode://result'):find('^denied')
  end)
  check('the question says what would run', questions[1]:find('mcp__box__add', 1, true) and questions[1]:find('"a": 20', 1, true) and questions[1]:find('add.exec.ts, line 2', 1, true), questions)

  -- VSC-2's counterpart
  answers[#answers + 1] = { 'Allow the script to call', 'Allow once' }
  vim.cmd('CodemodeRun')
  wait_for('allowed once, the result has value, call and log', function()
    local r = lines_of('codemode://result')
    return r:find('^completed') and r:find('"sum": 42', 1, true) and r:find('completed  mcp__box__add, line 2', 1, true) and r:find('the sum is 42', 1, true)
  end)
  check('the cursor stayed in the script', vim.api.nvim_get_current_buf() == script)

  -- LENS-1
  local lenses = request(script, client.id, 'textDocument/codeLens', { textDocument = document }) or {}
  local run
  for _, l in ipairs(lenses) do
    if l.command and l.command.command == 'codemode.dryRun' then
      run = l.command
    end
  end
  check('a lens for a dry run', run ~= nil, lenses)
  questions = {}
  client.config.commands['codemode.dryRun'](run, { client_id = client.id, bufnr = script })
  wait_for('the lens runs it dry', function()
    return lines_of('codemode://result'):find('^completed[^\n]*dry run')
  end)
  check('a dry run asks nothing', #questions == 0, questions)

  vim.cmd('CodemodeCatalog')
  wait_for('the catalog', function()
    return lines_of('codemode://catalog'):find('tools.mcp__box__add(', 1, true)
  end)
  vim.cmd('CodemodeCatalog 0')
  wait_for('the catalog for another budget', function()
    return lines_of('codemode://catalog'):find('PARTIAL: 1 of', 1, true)
  end)
  vim.cmd('CodemodeServers')
  wait_for('the servers', function()
    local shown = lines_of('codemode://servers')
    return shown:find('local: connected', 1, true) and shown:find('unwanted: refused', 1, true)
  end)

  client.stop()
  wait_for('a clean stop', function()
    return client.is_stopped()
  end)
end, function(e)
  return type(e) == 'string' and e:find('^the rest') and e or debug.traceback(e)
end)
if not ok then
  io.stdout:write(tostring(err) .. '\n')
  failed = math.max(failed, 1)
end
io.stdout:write(string.format('%d passed, %d failed\n', passed, failed))
vim.cmd(failed == 0 and 'qa!' or 'cquit 1')
