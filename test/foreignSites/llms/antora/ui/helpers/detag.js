module.exports = (html) => (html ? html.replace(/<[^>]+>/g, "") : html);
