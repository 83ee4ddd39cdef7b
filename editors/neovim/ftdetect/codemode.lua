-- Scripts keep TypeScript's file type and with it its colours, indentation and
-- plugins, behind a type of their own, so that the TypeScript server does not
-- attach to them.
vim.api.nvim_create_autocmd({ 'BufRead', 'BufNewFile' }, {
  pattern = { '*.exec.ts', '*.exec.js' },
  callback = function(args)
    vim.bo[args.buf].filetype = 'codemode'
  end,
})
