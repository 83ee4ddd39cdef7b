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

-- What a person sees in the question's window, page after page.
local function visible_in(window)
  local view = vim.api.nvim_win_call(window, vim.fn.winsaveview)
  local buffer = vim.api.nvim_win_get_buf(window)
  return vim.api.nvim_buf_get_lines(buffer, view.topline - 1, view.topline - 1 + vim.api.nvim_win_get_height(window), false)
end

-- NVIM-1, PERM-5, PERM-15: the prompt by itself.
local function check_prompt()
  local prompts = require('codemode.prompts')
  local text = require('codemode.text')
  local sent = '{"z":12345678901234567890,"a":1.0,"a":[],"10":{"b":-0},"s":"x, {y}: [\\"z\\"]","e":{}}'
  local lines = text.json_text_lines(sent)
  check('PERM-5: every token as it is sent, in its order', (table.concat(lines, '\n'):gsub('\n *', '')):gsub('": ', '":') == sent, lines)

  local long = string.rep('0123456789', 400) .. '; rm -rf ~'
  local request = {
    id = '1', runId = 'r', tool = 'mcp__files__delete', server = 'files', description = 'Harmless.', waiting = 2,
    annotations = { destructiveHint = true },
    argumentsText = '{"command":"' .. long .. '","list":[' .. string.rep('1,', 80) .. '2],"last":true}',
  }
  local facts, folded = prompts.permission_lines(request)
  local all = table.concat(facts, '\n')
  check('PERM-15: long values are folded, with their length and their end', folded and all:find('%d+ more characters') and all:find('rm -rf ~', 1, true), facts)
  check('PERM-15: arguments before what the server says', all:find('"last"', 1, true) < all:find('Harmless', 1, true), facts)
  check('destructive is said first', facts[1]:find('destructive', 1, true), facts[1])

  local answered, seen, height, offered = nil, {}, 0, {}
  local select = vim.ui.select
  vim.ui.select = function(items, options, on_choice)
    local window
    for _, w in ipairs(vim.api.nvim_list_wins()) do
      window = vim.api.nvim_win_get_config(w).relative ~= '' and w or window
    end
    vim.list_extend(seen, visible_in(window))
    height = math.max(height, vim.api.nvim_win_get_height(window))
    local by_label = {}
    for _, item in ipairs(items) do
      by_label[item.label] = item
    end
    offered[#offered + 1] = items[1].label
    -- Unfold, read to the end, then allow: too early once, and again.
    local choice = by_label['Show everything'] or by_label['Scroll down'] or by_label['Allow once']
    if choice.grants and #offered > 0 and not by_label['Scroll down'] then
      vim.wait(20)
    end
    on_choice(choice)
  end
  answered = prompts.permission(nil, request)
  vim.ui.select = select
  local read = table.concat(seen, '')
  check('all of the arguments can be read by scrolling', read:find(long:sub(-200), 1, true) and read:find('"last": true', 1, true), seen)
  check('the window is as high as its text needs, and leaves room for the answers', height > 5 and height <= vim.o.lines - 9, height)
  check('a denial is the first answer', offered[1] == 'Deny', offered)
  check('an answer is taken after a moment', answered.decision == 'allow' and answered.scope == 'once', answered)
end

-- A value that was left out is never shown as something else; a dry run says what
-- would be asked.
local function check_result()
  local show = require('codemode.show')
  local r = {
    status = 'completed', timing = { wallMs = 5 }, hasValue = true, valueOmitted = { bytes = 3 * 1024 * 1024, artifact = '/cache/v.json' },
    calls = { { status = 'completed', tool = 'mcp__s__t', verdict = 'ask' } }, logs = {}, output = {}, warnings = {},
  }
  local lines = table.concat(show.result_lines(r, true), '\n')
  check('a large value is named with its size and place', lines:find('3.0 MiB, is in /cache/v.json', 1, true), lines)
  check('a dry run says what would be asked', lines:find('would ask  mcp__s__t', 1, true), lines)
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
  check_prompt()
  check_result()
  require('codemode.prompts').reading_ms = 0 -- nobody reads what follows
  require('codemode').setup({
    -- Typed on a command line, and so trusted; what settings name has to be approved.
    cmd = { vim.env.CODEMODE_LS, 'lsp', '--server', "box='" .. vim.env.CODEMODE_LS .. "' demo" },
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

  -- EXEC-18
  vim.cmd('edit input.exec.ts')
  local takes = vim.api.nvim_get_current_buf()
  wait_for('a second script is attached', function()
    return vim.lsp.buf_is_attached(takes, client.id)
  end)
  vim.cmd('CodemodeRun {"name": "Ada", "times": 2}')
  wait_for('a script gets the input of the command', function()
    return lines_of('codemode://result'):find('Ada Ada', 1, true)
  end)
  vim.cmd('CodemodeRun {"nmae": 5}')
  wait_for('every wrong field is named', function()
    local r = lines_of('codemode://result')
    return r:find('name: missing; expected a string', 1, true) and r:find('nmae: unknown field; did you mean name?', 1, true)
  end)
  local example
  for _, l in ipairs(request(takes, client.id, 'textDocument/codeLens', { textDocument = { uri = vim.uri_from_bufnr(takes) } }) or {}) do
    if l.command and l.command.arguments[2] then
      example = l.command
    end
  end
  check('a lens for the example', example ~= nil)
  client.config.commands['codemode.run'](example, { client_id = client.id, bufnr = takes })
  wait_for('the lens runs with the example', function()
    local r = lines_of('codemode://result')
    return r:find('Ada', 1, true) and not r:find('Ada Ada', 1, true)
  end)
  vim.api.nvim_set_current_buf(script)

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

  -- NVIM-1: help and health.
  vim.cmd('checkhealth codemode')
  local health = table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false), '\n')
  check(':checkhealth names the program, the servers and the running client',
    health:find('codemode%-ls %d') and health:find('local: connected', 1, true) and health:find('box: connected', 1, true) and health:find('The language server runs for', 1, true) and not health:find('ERROR', 1, true), health)
  local cmd = require('codemode').config.cmd
  require('codemode').config.cmd = { '/no/such/codemode-ls', 'lsp' }
  vim.cmd('checkhealth codemode')
  local missing = table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false), '\n')
  check(':checkhealth says what to do without the program', missing:find('cannot be started', 1, true) and missing:find('setup({ cmd', 1, true), missing)
  require('codemode').config.cmd = cmd
  local tags = vim.env.HOME .. '/doc'
  vim.fn.mkdir(tags, 'p')
  local doc = vim.api.nvim_get_runtime_file('doc/codemode.txt', false)[1]
  check('there is :help', doc, doc)
  vim.fn.writefile(vim.fn.readfile(doc), tags .. '/codemode.txt')
  vim.cmd('helptags ' .. tags)
  vim.opt.runtimepath:prepend(vim.env.HOME)
  for _, topic in ipairs({ 'codemode', ':CodemodeRun', ':CodemodeServers', 'codemode.setup()', 'codemode-questions' }) do
    vim.cmd('help ' .. topic)
    check('help ' .. topic, vim.api.nvim_get_current_line():find('*' .. topic .. '*', 1, true), vim.api.nvim_get_current_line())
  end

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
