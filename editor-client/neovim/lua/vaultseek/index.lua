---`:VaultIndex`: update, rebuild or delete the server's vectors, with progress.
local client = require("vaultseek.client")
local message = require("vaultseek.message")
local root = require("vaultseek.root")

local M = {}

local commands = {
  update = "vaultseek.updateIndex",
  rebuild = "vaultseek.rebuildIndex",
  clear = "vaultseek.clearIndex",
  gc = "vaultseek.collectGarbage",
}

---The arguments of the command.
---@return string[]
function M.words()
  return { "update", "rebuild", "clear", "gc", "cancel" }
end

local running ---@type vaultseek.Handle?

---@param value table of `$/progress`
---@param title string?
local function progress_line(value, title)
  local percentage = value.percentage and (" %d %%"):format(value.percentage) or ""
  return ("%s%s %s"):format(title or value.title or "", percentage, value.message or "")
end

local function cancel()
  if not running then
    return message.tell("no index command is running")
  end
  running.cancel()
  running = nil
  message.tell("cancelled; vectors computed before that are kept")
end

---@param word string?
function M.run(word)
  word = word and word ~= "" and word or "update"
  if word == "cancel" then
    return cancel()
  elseif not commands[word] then
    return message.fail(("`%s` is not one of %s"):format(word, table.concat(M.words(), ", ")))
  elseif running then
    return message.warn("an index command is still running; :VaultIndex cancel stops it")
  end
  local folder = root.meant(vim.api.nvim_get_current_buf())
  if not folder then
    return message.warn("this is not in a vault")
  end
  local params = { command = commands[word], arguments = { { vault = vim.uri_from_fname(folder) } } }
  local title, mine
  local function on_progress(value)
    title = value.title or title
    if value.kind ~= "end" then
      message.show_progress(progress_line(value, title))
    end
  end
  local function on_done(problem, answer)
    running, mine = nil, false
    if problem or not answer then
      message.fail(problem or "the vault is not searched, so it has no index")
    else
      message.tell(answer.message)
    end
  end
  local options = { folder = folder, on_progress = on_progress }
  local handle = client.request("workspace/executeCommand", params, options, on_done)
  running = mine == nil and handle or nil -- it can have failed already
end

return M
