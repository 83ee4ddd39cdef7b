const y = {{{ ;
