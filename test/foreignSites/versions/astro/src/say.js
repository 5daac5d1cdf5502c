/** Says which version it is of. */
export const say = () => alert("version 1");
