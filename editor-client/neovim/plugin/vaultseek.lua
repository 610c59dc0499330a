-- Commands, and sending opened notes to the server. All other modules are loaded when they are first used.
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
  desc = "Show notes related to this note, a heading or a range",
}, function(given)
  require("vaultseek").related({
    heading = given.args ~= "" and given.args or nil,
    lines = given.range > 0 and { given.line1, given.line2 } or nil,
  })
end)

command("VaultSidebar", { bar = true, desc = "Show or hide the notes related to the current one" }, function()
  require("vaultseek").sidebar()
end)

command("VaultWhy", { nargs = "+", desc = "Explain why a query finds this note, or why not" }, function(given)
  require("vaultseek").why(given.args)
end)

command("VaultIndex", {
  nargs = "?",
  bar = true,
  desc = "Update, rebuild or delete the vault's vectors",
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

-- Delayed, so that the options of a setup() call right after this are set before the server starts.
vim.schedule(function()
  local vaultseek = require("vaultseek")
  if not vaultseek.is_watching then
    vaultseek.watch()
  end
end)
