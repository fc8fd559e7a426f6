"""What holders believe: opinions formed from dated lines, and how sure they are. The judging
modules are values in, values out; generated text is never evidence."""
