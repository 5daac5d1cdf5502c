// as the pages of DocC do: the data has the address of the page
const shown = document.getElementById("declaration");
if (shown) {
  const address = `/data${location.pathname.replace(/(?:\/index\.html|\/)?$/, "")}.json`;
  fetch(address)
    .then((response) => response.json())
    .then(({ declaration }) => (shown.textContent = declaration));
}
