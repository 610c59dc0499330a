// Replaces VS Code's native log writer, which takes minutes to compile; without one there are no log files.

const { appendFileSync, mkdirSync } = require("node:fs");
const { dirname } = require("node:path");

const LEVELS = ["trace", "debug", "info", "warn", "error", "critical"];
const WORDS = { warn: "warning" };

class Logger {
  constructor(_type, _name, file) {
    mkdirSync(dirname(file), { recursive: true });
    this.file = file;
    this.level = 2;
    this.isPlain = false;
    for (const [level, name] of LEVELS.entries()) {
      this[name] = (message) => {
        if (level >= this.level) {
          appendFileSync(this.file, this.isPlain ? message : `${now()} [${WORDS[name] ?? name}] ${message}\n`);
        }
      };
    }
  }

  getLevel() {
    return this.level;
  }

  setLevel(level) {
    this.level = level;
  }

  clearFormatters() {
    this.isPlain = true;
  }

  setPattern() {}
  flush() {}
  drop() {}
}

function now() {
  return new Date().toISOString().replace("T", " ").slice(0, 23);
}

// One by one, so that an import from a module sees the names.
exports.version = 0;
exports.setLevel = () => undefined;
exports.setFlushOn = () => undefined;
exports.Logger = Logger;
exports.createRotatingLogger = async (name, file) => new Logger("rotating", name, file);
exports.createAsyncRotatingLogger = exports.createRotatingLogger;
