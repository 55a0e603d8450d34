// What it costs a program to import the SDK.
import 'heddle';
