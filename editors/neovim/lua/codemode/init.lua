-- Code Mode scripts in Neovim: attach, run, answer prompts, read the catalog.
-- Works from 0.7 on. From 0.11 on lsp/codemode_ls.lua can be enabled instead, by
-- people who want the language server without these commands.

local prompts = require('codemode.prompts')
local show = require('codemode.show')

local M = {}

M.config = {
  -- The server's command line.
  cmd = { 'codemode-ls', 'lsp' },
  -- The server's settings, without "codemode.": { mcpServers = …, demo = true, … }.
  settings = {},
  -- Called with (client, buffer) when a script is attached.
  on_attach = nil,
}

-- Clients by the root folder of their workspace: one server for a workspace.
local clients = {}

-- What codemode/execEvent told of runs: their ids, for :CodemodeStop.
local running = {}

--- Changes the configuration; call it before the first script is opened.
function M.setup(options)
  M.config = vim.tbl_deep_extend('force', M.config, options or {})
end

local function root_of(buffer)
  local path = vim.api.nvim_buf_get_name(buffer)
  local folder = vim.fn.fnamemodify(path, ':p:h')
  for _, marker in ipairs({ '.codemode', '.git' }) do
    local above = folder
    repeat
      if vim.loop.fs_stat(above .. '/' .. marker) then
        return above
      end
      local below = above
      above = vim.fn.fnamemodify(above, ':h')
    until above == below
  end
  return folder
end

-- The settings as the server wants them. They are setup()'s alone, which is your
-- own configuration: "$workspace" says that no file of a workspace is among them.
local function section()
  return { codemode = vim.tbl_extend('force', M.config.settings, { ['$workspace'] = vim.empty_dict() }) }
end

local function capabilities()
  local c = vim.lsp.protocol.make_client_capabilities()
  c.experimental = { codemode = { permission = true, events = true, trust = true, splitSettings = true } }
  return c
end

--- What a client of the server is made of; vim.lsp.config takes it too.
function M.client_config(root)
  return {
    name = 'codemode_ls',
    cmd = M.config.cmd,
    root_dir = root,
    workspace_folders = { { uri = vim.uri_from_fname(root), name = vim.fn.fnamemodify(root, ':t') } },
    settings = section(),
    init_options = section(),
    capabilities = capabilities(),
    get_language_id = function()
      return 'codemode'
    end,
    handlers = {
      -- Not from the client's own settings, which other plugins may fill from files
      -- of a workspace.
      ['workspace/configuration'] = function(_, params)
        return vim.tbl_map(function(item)
          return item.section == 'codemode' and section().codemode or vim.NIL
        end, params.items or {})
      end,
      ['codemode/permission'] = prompts.permission,
      ['codemode/serversChanged'] = prompts.servers_changed,
      ['codemode/catalogChanged'] = function() end,
      ['codemode/execEvent'] = function(_, event)
        if event.kind == 'started' then
          running[event.runId] = true
        elseif event.kind == 'finished' then
          running[event.runId] = nil
        end
      end,
    },
    commands = {
      -- Lenses name commands of the server; these have something to show here.
      ['codemode.run'] = function(command)
        M.run_uri(command.arguments[1], false, command.arguments[2])
      end,
      ['codemode.dryRun'] = function(command)
        M.run_uri(command.arguments[1], true, command.arguments[2])
      end,
    },
    on_attach = function(client, buffer)
      vim.bo[buffer].omnifunc = 'v:lua.vim.lsp.omnifunc'
      if M.config.on_attach then
        M.config.on_attach(client, buffer)
      end
    end,
    on_exit = function()
      clients[root] = nil
    end,
  }
end

--- Attaches the workspace's server to a script, and starts it when it is the first.
function M.attach(buffer)
  if vim.api.nvim_buf_get_name(buffer) == '' or vim.bo[buffer].buftype ~= '' then
    return nil
  end
  -- TypeScript's colours and indentation, under the script's own file type.
  vim.bo[buffer].commentstring = '// %s'
  if vim.bo[buffer].syntax == 'codemode' or vim.bo[buffer].syntax == '' then
    vim.bo[buffer].syntax = 'typescript'
  end
  local root = root_of(buffer)
  if vim.lsp.start then -- 0.8 and newer: finds the client of this name and root by itself
    clients[root] = vim.lsp.start(M.client_config(root), { bufnr = buffer })
  else
    clients[root] = clients[root] or vim.lsp.start_client(M.client_config(root))
    if clients[root] then
      vim.lsp.buf_attach_client(buffer, clients[root])
    end
  end
  return clients[root]
end

local function client_of(buffer)
  for _, id in pairs(clients) do
    if vim.lsp.buf_is_attached(buffer, id) then
      return vim.lsp.get_client_by_id(id)
    end
  end
  vim.notify('Code Mode: this buffer is no script of a running server', vim.log.levels.WARN)
  return nil
end

local function request(client, method, params, done, buffer)
  local handler = function(err, result)
    if err then
      vim.notify('Code Mode: ' .. (err.message or tostring(err)), vim.log.levels.ERROR)
    else
      done(result)
    end
  end
  -- 0.11 made this a method; a function before that takes no client.
  if vim.fn.has('nvim-0.11') == 1 then
    return client:request(method, params, handler, buffer)
  end
  return client.request(method, params, handler, buffer)
end

local function run(buffer, dry, input)
  local client = client_of(buffer)
  if not client then
    return
  end
  vim.notify(dry and 'Code Mode: dry run…' or 'Code Mode: running…')
  local params = { textDocument = { uri = vim.uri_from_bufnr(buffer) }, dryRun = dry, input = input }
  request(client, 'codemode/exec', params, function(result)
    show.result(result, dry)
  end, buffer)
end

-- The input that a command was given, as JSON; nothing runs when it is none.
local function run_with(args, dry)
  local text = args and args.args or ''
  local input
  if text ~= '' then
    local ok, value = pcall(vim.json.decode, text)
    if not ok then
      vim.notify('Code Mode: the input is not JSON: ' .. text, vim.log.levels.ERROR)
      return
    end
    input = value
  end
  run(vim.api.nvim_get_current_buf(), dry, input)
end

--- Runs the script of the current buffer, with its unsaved text; args is its input.
function M.run(args)
  run_with(args, false)
end

--- The same, every call answered with a sample.
function M.dry_run(args)
  run_with(args, true)
end

function M.run_uri(uri, dry, input)
  run(vim.uri_to_bufnr(uri), dry, input)
end

--- Stops all runs that are under way.
function M.stop()
  local client = client_of(vim.api.nvim_get_current_buf())
  if client then
    for id in pairs(running) do
      request(client, 'codemode/cancel', { runId = id }, function() end)
    end
  end
end

--- Shows what a model reads of the pool; args is a budget in tokens.
function M.catalog(args)
  local client = client_of(vim.api.nvim_get_current_buf())
  if client then
    local budget = tonumber(args and args.args or nil)
    request(client, 'codemode/catalog', budget and { budgetTokens = budget } or vim.empty_dict(), show.catalog)
  end
end

--- Shows the MCP servers and asks about those that are not approved.
function M.servers()
  local client = client_of(vim.api.nvim_get_current_buf())
  if client then
    request(client, 'codemode/servers', vim.empty_dict(), function(list)
      show.servers(list)
      prompts.review(client, list)
    end)
  end
end

return M
