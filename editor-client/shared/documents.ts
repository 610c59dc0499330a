// Which files may be opened with the system's program.

// Files of other types could be programs, and the system's program for a program is to run it. The server has the same
// list (`search/ids`), and a test compares them.
const EXTENSIONS = new Set(
  `
    md markdown avif bmp gif heic heif ico jpeg jpg png psd raw svg tif tiff webp aac aif aiff flac m4a mid midi
    mp3 oga ogg opus wav wma 3gp avi m4v mkv mov mp4 mpeg mpg ogv webm wmv doc key mobi numbers odg odp ods pages
    ppt rtf xls canvas base txt org rst adoc html ipynb csv pdf docx pptx xlsx odt epub asciidoc htm
  `.match(/\S+/gu),
);

/** Whether a file of this name is a document, a picture, sound or video, and so no program. */
export function isDocument(name: string): boolean {
  return EXTENSIONS.has(/\.([^.]*)$/u.exec(name)?.[1]?.toLowerCase() ?? "");
}
