---`:checkhealth vaultseek`.
local config = require("vaultseek.config")
local launch = require("vaultseek.launch")
local root = require("vaultseek.root")
local server = require("vaultseek.server")

local M = {}

---The reporting functions, which have other names before Neovim 0.10.
local report = {}
for _, name in ipairs({ "start", "ok", "info", "warn", "error" }) do
  report[name] = function(...)
    local health = vim.health or require("health")
    return (health[name] or health["report_" .. name])(...)
  end
end

local function check_neovim()
  if vim.fn.has("nvim-0.7.2") == 1 then
    report.ok("Neovim is 0.7.2 or newer")
  else
    report.error("Neovim is too old", { "Install 0.7.2 or newer." })
  end
end

local function check_command()
  local missing = launch.missing()
  if missing then
    return report.error(missing)
  end
  local command = config.current.cmd[1]
  local version = vim.fn.system({ command, "--version" })
  if vim.v.shell_error == 0 then
    report.ok(("`%s` is %s"):format(command, vim.trim(version)))
  else
    report.warn(("`%s --version` failed: %s"):format(command, vim.trim(version)))
  end
end

local function check_configuration()
  local problems = require("vaultseek").problems
  if #problems == 0 then
    report.ok("the options of setup() are valid")
  end
  for _, problem in ipairs(problems) do
    report.warn("option " .. problem)
  end
  if config.current.ui == "telescope" and not pcall(require, "telescope") then
    report.warn("`ui` is telescope, but Telescope is not installed; the built-in picker is used")
  elseif pcall(require, "telescope") then
    report.info("Telescope is installed: require('telescope').load_extension('vaultseek')")
  end
end

---@return boolean
local function check_vault()
  -- `:checkhealth` shows its own buffer; check the previous one
  local buf = vim.fn.bufnr("#")
  local folder = root.meant(buf > 0 and vim.api.nvim_buf_is_loaded(buf) and buf or vim.api.nvim_get_current_buf())
  if folder then
    report.ok("the vault is " .. folder)
  else
    report.warn("no vault found", {
      "Open a note below a folder with one of: " .. table.concat(config.current.root_markers, ", "),
      "Or add a folder: require('vaultseek').setup({ vaults = { '~/notes' } })",
    })
  end
  return folder ~= nil
end

local function report_vault(vault)
  local words = ("%s: %s, %d notes"):format(vault.name, vault.state, vault.notes or 0)
  if vault.state == "refused" or vault.state == "failed" then
    report.error(words .. (vault.reason and ": " .. vault.reason or ""))
  else
    report.ok(words)
  end
  for n, skipped in ipairs(vault.skipped or {}) do
    if n > 5 then
      report.info(("%d more notes were not read"):format(#vault.skipped - 5))
      break
    end
    report.info(("not read: %s: %s"):format(skipped.note, skipped.reason))
  end
  local semantic = vault.semantic
  if semantic then
    local names, texts = semantic.gists, semantic.notes
    local text = ("%s: names and openings: %d of %d; whole text: %d of %d"):format(
      semantic.model,
      names,
      names + semantic.missingGists,
      texts,
      texts + semantic.missing
    )
    report.info(text .. (semantic.filling and "; they are being computed" or ""))
    if semantic.unreadable > 0 then
      report.info(("%d notes in a language or script that %s cannot read"):format(semantic.unreadable, semantic.model))
    end
    if semantic.problem then
      report.warn(semantic.problem)
    end
  end
end

local function check_server()
  local client = server.running()
  if not client then
    return report.info("the server is not running; the first note or search starts it")
  end
  local answer, problem
  launch.call(client, "request", "vaultseek/status", vim.empty_dict(), function(err, result)
    answer, problem = result, err
  end)
  vim.wait(5000, function()
    return answer ~= nil or problem ~= nil
  end, 10)
  if not answer then
    return report.error("the server does not answer: " .. (problem and problem.message or "no answer within 5 s"))
  end
  report.ok("the server is " .. answer.version .. ", columns in " .. client.offset_encoding)
  for _, vault in ipairs(answer.vaults) do
    report_vault(vault)
  end
  report.info("its log is " .. launch.log_path())
end

function M.check()
  report.start("vaultseek")
  check_neovim()
  check_command()
  check_configuration()
  check_vault()
  check_server()
end

return M
