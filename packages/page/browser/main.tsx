import "./styles/tokens.css";
import "./styles/base.css";
import "./styles/parts.css";
import "./styles/plot.css";
import "./styles/shared.css";
import "./styles/shell.css";
import { render } from "preact";
import { App } from "./shell/app.js";
import { applyTheme, storedTheme } from "./shell/frame.js";

applyTheme(storedTheme());
const root = document.getElementById("page");
if (root !== null) render(<App />, root);
