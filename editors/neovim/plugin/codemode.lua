if vim.g.loaded_codemode then
  return
end
vim.g.loaded_codemode = true

local function command(name, method, options)
  vim.api.nvim_create_user_command(name, function(args)
    require('codemode')[method](args)
  end, options)
end

command('CodemodeRun', 'run', { nargs = '?', desc = 'Run this script, with an optional input as JSON' })
command('CodemodeDryRun', 'dry_run', { nargs = '?', desc = 'Run this script, every call answered with a sample' })
command('CodemodeStop', 'stop', { desc = 'Stop the running scripts' })
command('CodemodeCatalog', 'catalog', { nargs = '?', desc = 'Show the catalog, with an optional budget in tokens' })
command('CodemodeServers', 'servers', { desc = 'Show the MCP servers' })

vim.api.nvim_create_autocmd('FileType', {
  group = vim.api.nvim_create_augroup('codemode', {}),
  pattern = 'codemode',
  callback = function(args)
    require('codemode').attach(args.buf)
  end,
})
