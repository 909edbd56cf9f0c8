! The grammar of the short stories: the library's, and pouring.
Include "Grammar";

Verb 'pour'
    * held 'in'/'into'/'on'/'onto' noun -> Pour;
