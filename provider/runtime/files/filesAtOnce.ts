/** How many files are read or written at once: enough for all threads of Node.js, and few open files and blocks in memory. */
export const FILES_AT_ONCE = 8;
