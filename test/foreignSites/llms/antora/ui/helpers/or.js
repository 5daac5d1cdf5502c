module.exports = (...values) => values.slice(0, -1).find(Boolean);
