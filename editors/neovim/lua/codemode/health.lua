-- :checkhealth codemode

local M = {}

-- Renamed in 0.10.
local health = vim.health or {}
local start = health.start or health.report_start or require('health').report_start
local ok = health.ok or health.report_ok or require('health').report_ok
local warn = health.warn or health.report_warn or require('health').report_warn
local err = health.error or health.report_error or require('health').report_error

local function check_program(cmd)
  local program = cmd[1]
  if vim.fn.executable(program) ~= 1 then
    err(program .. ' cannot be started', { 'Put codemode-ls on the PATH, or name it: require("codemode").setup({ cmd = { "/path/to/codemode-ls", "lsp" } })' })
    return
  end
  local out = vim.fn.system({ program, 'version' })
  if vim.v.shell_error ~= 0 or not out:find('codemode%-ls') then
    err(program .. ' is not codemode-ls: `' .. program .. ' version` printed ' .. vim.trim(out):sub(1, 200), { 'Correct cmd in require("codemode").setup' })
    return
  end
  ok(vim.trim(out:match('[^\n]*')) .. ' (' .. vim.fn.exepath(program) .. ')')
end

local function clients()
  local get = vim.lsp.get_clients or vim.lsp.get_active_clients
  return vim.tbl_filter(function(c)
    return c.name == 'codemode_ls'
  end, get())
end

-- What a running client knows of its MCP servers: nothing is started for this.
local function check_servers(client)
  local answer
  local handler = function(_, result)
    answer = result or {}
  end
  if vim.fn.has('nvim-0.11') == 1 then
    client:request('codemode/servers', vim.empty_dict(), handler, 0)
  else
    client.request('codemode/servers', vim.empty_dict(), handler, 0)
  end
  if not vim.wait(5000, function()
    return answer ~= nil
  end, 20) then
    warn('The language server does not answer', { ':lua vim.lsp.stop_client(' .. client.id .. '), then :edit restarts it' })
    return
  end
  if #answer == 0 then
    warn('There is no MCP server yet', { 'Put servers into ~/.config/codemode-ls/config.json, or try settings = { demo = true }' })
  end
  for _, s in ipairs(answer) do
    local line = s.name .. ': ' .. s.status .. (s.tools > 0 and ', ' .. s.tools .. ' tools' or '')
    if s.status == 'failed' then
      warn(line .. (s.error and ': ' .. s.error or ''), { 'Correct its definition' .. (s.file and ' in ' .. s.file or '') })
    elseif s.status == 'untrusted' then
      ok(line .. ': :CodemodeServers asks whether it may start')
    else
      ok(line)
    end
  end
end

function M.check()
  start('codemode')
  local cmd = require('codemode').config.cmd
  if type(cmd) ~= 'table' then
    ok('the server is reached by a function')
  else
    check_program(cmd)
  end
  local running = clients()
  if #running == 0 then
    ok('No language server runs: it starts with the first *.exec.ts file')
  end
  for _, c in ipairs(running) do
    ok('The language server runs for ' .. tostring(c.config.root_dir))
    check_servers(c)
  end
  if vim.bo.filetype ~= 'codemode' and vim.api.nvim_buf_get_name(0):match('%.exec%.[jt]s$') then
    warn('This script has the file type "' .. vim.bo.filetype .. '", not "codemode"', { 'Another plugin sets it: load codemode after that, or :set filetype=codemode' })
  end
end

return M
