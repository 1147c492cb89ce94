package dev.posthorn.examples.billing;

import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

@RestController
class BooksController {

    private final Books books;

    BooksController(Books books) {
        this.books = books;
    }

    @GetMapping("/books")
    Books.Totals books() {
        return books.totals();
    }
}
