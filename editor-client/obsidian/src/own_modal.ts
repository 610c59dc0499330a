// A modal that does not outlive the plugin.

import { Modal } from "obsidian";

const open = new Set<OwnModal>();

export class OwnModal extends Modal {
  override onOpen(): void {
    open.add(this);
  }

  override onClose(): void {
    open.delete(this);
    this.contentEl.empty();
  }
}

/** Closes all modals of the plugin, which is being unloaded. */
export function closeModals(): void {
  for (const modal of [...open]) {
    modal.close();
  }
}
