import { expect, it } from "vitest";
import { readBundle } from "./read-bundle.js";

const bundle = [
  'import{Message as M,proto3 as p3,Struct as S}from"@bufbuild/protobuf";var pkg="sample.v1.",base,A,B,C;',
  "base=class base extends X{static get runtime(){return Z(this,p3)}static $p(){return pkg}};",
  'A=d(p3,pkg,"Outer.ReadState",[[0,"UNSPECIFIED"],[2,"ON"]],1);C=d(p3,pkg,"Plain",[[0,"NONE"]]);',
  'B=class B extends base{constructor($){super()}static $(){return["Outer|1 id 13|2 names 9*|7 state #0?',
  '|8 inner #1 way|9 by_name 9,#2",A,B,S]}};svc={typeName:"sample.v1.Service",methods:{ask:{name:"Ask",I:B,O:B,kind:1}}};',
].join("");

it("reads messages, enums and methods out of bundled JavaScript", () => {
  const { types, methods } = readBundle(bundle);
  expect(Object.fromEntries([...types].map(([name, forms]) => [name, Object.fromEntries(forms)]))).toEqual({
    "sample.v1.Outer": {
      1: "uint32 id",
      2: "repeated string names",
      7: "optional sample.v1.Outer.ReadState state",
      8: "sample.v1.Outer inner in way",
      9: "map string, google.protobuf.Struct by_name",
    },
    "sample.v1.Outer.ReadState": { 0: "READ_STATE_UNSPECIFIED", 2: "READ_STATE_ON" },
    "sample.v1.Plain": { 0: "NONE" },
  });
  expect(methods.get("sample.v1.Service/Ask")).toEqual({ input: "sample.v1.Outer", output: "sample.v1.Outer" });
});

it.each([
  ["a message in another form", 'static $(){return["Outer|', "static $(){return[`Outer|", "0 of 1 messages"],
  ["a field in another form", "1 id 13", "1 id int", "this field cannot be read: 1 id int"],
  ["a type that is declared nowhere", ",A,B,S]", ",A,B,Gone]", "Gone is used, but not declared"],
  ["a package that is declared nowhere", '="sample.v1."', '="sample."', "pkg is used, but not declared"],
])("refuses %s", (_name, was, is, told) => {
  expect(() => readBundle(bundle.replace(was, is))).toThrow(told);
});

it("refuses a file that is too large", () => {
  expect(() => readBundle(`${bundle}${" ".repeat(16 << 20)}`)).toThrow("larger than 16 MiB");
});
