---`:VaultSearch`: searches, and the ways to show their results.
local client = require("vaultseek.client")
local config = require("vaultseek.config")
local fold = require("vaultseek.fold")
local message = require("vaultseek.message")
local open = require("vaultseek.open")
local root = require("vaultseek.root")

local M = {}

---@class vaultseek.SearchOptions
---@field ui "picker"|"select"|"quickfix"|"telescope"|nil
---@field kinds "everything"|"notes"|nil all files or only notes; by default the option `kinds`
---@field vault string? a folder; by default the vault of the current note
---@field options table? options of `vaultseek/search`: mode, folder, tags, maxResults and so on

---A source that searches a vault.
---@param folder string
---@param buf integer a note whose unsaved text the server must have first
---@param more table?
---@param kinds vaultseek.Kinds?
---@return vaultseek.Source
function M.source(folder, buf, more, kinds)
  return function(query, on_partial, on_done)
    local types = kinds and kinds.value == "notes" and { types = { "md" } } or {}
    local options = vim.tbl_extend("force", types, more or {})
    local params = { query = query, vault = vim.uri_from_fname(folder), options = next(options) and options or nil }
    return client.request("vaultseek/search", params, { folder = folder, buf = buf, on_partial = on_partial }, on_done)
  end
end

---What is searched; a table, so that the picker can change it.
---@class vaultseek.Kinds
---@field value "everything"|"notes"

---A search and how to present it: the fields that |vaultseek.picker| expects.
---@class vaultseek.Question
---@field title string
---@field query string
---@field source vaultseek.Source
---@field kinds vaultseek.Kinds?
---@field takes_blank boolean? whether to send an empty query too
---@field nothing_found string? the message for an empty answer

---Search once and pass on the results; a failure and an empty answer become messages.
---@param question vaultseek.Question
---@param callback fun(items: table[], encoding: string)
local function ask_once(question, callback)
  question.source(question.query, function() end, function(problem, answer)
    if problem or not answer then
      return message.fail(problem or "the server sent an empty answer")
    elseif #answer.results == 0 then
      local notice = answer.notices and answer.notices[1]
      local words = question.nothing_found or ("No notes found for “%s”."):format(question.query)
      return message.tell(words .. (notice and " " .. notice.message or ""))
    end
    callback(fold.weak_last(answer.results), client.encoding())
  end)
end

local uis = {}

function uis.picker(question)
  require("vaultseek.picker").open(question)
end

function uis.telescope(question)
  if not pcall(require, "telescope") then
    message.warn("Telescope is not installed; using the built-in picker")
    return uis.picker(question)
  end
  require("vaultseek.telescope").open(question)
end

function uis.quickfix(question)
  ask_once(question, function(items, encoding)
    local title = question.title .. (question.query ~= "" and ": " .. question.query or "")
    require("vaultseek.quickfix").fill(items, title, encoding)
  end)
end

function uis.select(question)
  local window = vim.api.nvim_get_current_win()
  ask_once(question, function(items, encoding)
    require("vaultseek.select").choose(items, question.title, function(item)
      open.open(open.place_of(item, encoding), "edit", window)
    end)
  end)
end

---Show the results of a search in the requested or configured way.
---@param ui string?
---@param question vaultseek.Question
function M.present(ui, question)
  uis[ui or config.current.ui](question)
end

---Search.
---@param query string?
---@param options vaultseek.SearchOptions?
function M.search(query, options)
  options, query = options or {}, vim.trim(query or "")
  local buf = vim.api.nvim_get_current_buf()
  local folder = options.vault and root.named(options.vault) or root.meant(buf)
  if not folder then
    return message.warn("no vault found: open a note below a folder with `.obsidian`, or add a folder to `vaults`")
  end
  local ui = options.ui or config.current.ui
  local kinds = { value = options.kinds or config.current.kinds }
  local source = M.source(folder, buf, options.options, kinds)
  local question = { title = "Vault", query = query, source = source, kinds = kinds }
  if query ~= "" or ui == "picker" or ui == "telescope" then
    return M.present(ui, question)
  end
  vim.ui.input({ prompt = "Search the vault: " }, function(typed)
    question.query = vim.trim(typed or "")
    if question.query ~= "" then
      M.present(ui, question)
    end
  end)
end

return M
