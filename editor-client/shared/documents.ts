// Which files may be opened with the system's program.

// Files of other types could be programs, and the system's program for a program is to run it.
const DOCUMENT =
  /\.(?:txt|org|rst|adoc|asciidoc|html?|csv|ipynb|pdf|docx?|pptx?|xlsx?|od[tsp]|epub|mobi|rtf|pages|numbers|key|avif|bmp|gif|heic|heif|ico|jpe?g|png|psd|svg|tiff?|webp|aac|aif|aiff|flac|m4a|midi?|mp3|oga|ogg|opus|wav|wma|3gp|avi|m4v|mkv|mov|mp4|mpe?g|ogv|webm|wmv)$/iu;

/** Whether a file of this name is a document, a picture, sound or video, and so no program. */
export function isDocument(name: string): boolean {
  return DOCUMENT.test(name);
}
