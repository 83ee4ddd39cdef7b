---@brief
---
--- codemode-ls, the language server for Code Mode scripts: `*.exec.ts` and `*.exec.js` files that call MCP tools.
---
--- Neovim 0.11 and newer: `vim.lsp.enable('codemode_ls')`. The file type is `codemode`; without this plugin, set it with
--- `vim.filetype.add({ pattern = { ['.*%.exec%.ts'] = 'codemode', ['.*%.exec%.js'] = 'codemode' } })`.

---@type vim.lsp.Config
return {
  cmd = { 'codemode-ls', 'lsp' },
  filetypes = { 'codemode' },
  root_markers = { '.codemode', '.git' },
  settings = { codemode = vim.empty_dict() },
}
