-- Commands, and the server for notes as they are opened. Whatever is heavy is loaded when it is first used.
if vim.g.loaded_vaultseek then
  return
end
vim.g.loaded_vaultseek = true

local function command(name, options, run)
  vim.api.nvim_create_user_command(name, run, options)
end

command("VaultSearch", {
  nargs = "*",
  bang = true,
  desc = "Search the vault (!: into the quickfix list)",
}, function(given)
  require("vaultseek").search(given.args, { ui = given.bang and "quickfix" or nil })
end)

command("VaultRelated", {
  nargs = "*",
  range = true,
  desc = "Notes related to this one, or to a heading or range of it",
}, function(given)
  require("vaultseek").related({
    heading = given.args ~= "" and given.args or nil,
    lines = given.range > 0 and { given.line1, given.line2 } or nil,
  })
end)

command("VaultSidebar", { bar = true, desc = "A window with related notes that follows the current note" }, function()
  require("vaultseek").sidebar()
end)

command("VaultWhy", { nargs = "+", desc = "Why this note is found by a query, or why not" }, function(given)
  require("vaultseek").why(given.args)
end)

command("VaultIndex", {
  nargs = "?",
  bar = true,
  desc = "Bring the vault's vectors up to date, make them anew or drop them",
  complete = function(typed)
    return vim.tbl_filter(function(word)
      return vim.startswith(word, typed)
    end, require("vaultseek.index").words())
  end,
}, function(given)
  require("vaultseek").index(given.args)
end)

command("VaultRestart", { bar = true, desc = "Stop the server and start it again" }, function()
  require("vaultseek").restart()
end)

-- Later, so that a setup() that follows at once is taken into account before anything is started.
vim.schedule(function()
  local vaultseek = require("vaultseek")
  if not vaultseek.is_watching then
    vaultseek.watch()
  end
end)
