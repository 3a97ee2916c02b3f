import { openOnSimulator } from "../../../../testing/backends/open-backend.js";
import { describeBackend } from "../backend.cases.js";
import { skips } from "../skips.cases.js";

const start = ({ cuts = false } = {}) => openOnSimulator("chat", { simulator: { legacy: "working" }, cuts });
describeBackend("chat", { start, startCut: () => start({ cuts: true }), skips: skips.chat });
