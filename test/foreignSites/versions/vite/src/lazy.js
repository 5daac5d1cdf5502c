/** Shows a picture. */
export const show = (place, picture) => {
  place.innerHTML = `<img src="${picture}" alt=""> version 1`;
};
