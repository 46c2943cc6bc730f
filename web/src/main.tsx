// First, so that the styles of every part come after them whenever its chunk arrives.
import "./styles/tokens.css";
import "./styles/base.css";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { App } from "./App";
import { session } from "./app-state";
import { Boundary } from "./Boundary";

const root = document.getElementById("root");
if (root === null) throw new Error("index.html has no #root");

void session.load();
createRoot(root).render(
  <StrictMode>
    <Boundary>
      <App />
    </Boundary>
  </StrictMode>,
);
