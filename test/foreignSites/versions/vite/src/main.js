import "./style.css";
import logo from "./logo.svg?no-inline";

import("./lazy.js").then(({ show }) => show(document.querySelector("#app"), logo));
