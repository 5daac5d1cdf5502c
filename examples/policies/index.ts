import { PolicyPack } from "@pulumi/policy";
import { policies } from "./policies";

new PolicyPack("docs-hosting", { policies, enforcementLevel: "mandatory" });
