package dev.posthorn.examples.orders;

import java.net.URI;
import java.util.UUID;
import org.springframework.dao.DataIntegrityViolationException;
import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.PutMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;

@RestController
@RequestMapping("/orders")
class OrderController {

    private final Orders orders;

    OrderController(Orders orders) {
        this.orders = orders;
    }

    @PostMapping
    @Transactional
    ResponseEntity<Void> place(@RequestBody NewOrder wish) {
        PlacedOrder order = orders.save(PlacedOrder.of(wish.customer(), wish.amount()));
        return ResponseEntity.created(URI.create("/orders/" + order.id())).build();
    }

    @PutMapping("/{id}")
    @Transactional
    ResponseEntity<Void> change(@PathVariable UUID id, @RequestBody NewAmount wish) {
        return orders.findById(id)
                .map(order -> orders.save(order.changeTo(wish.amount())))
                .map(order -> ResponseEntity.noContent().<Void>build())
                .orElse(ResponseEntity.notFound().build());
    }

    /** The database has the last word on what an order may be, and then its event is gone with it. */
    @ExceptionHandler(DataIntegrityViolationException.class)
    @ResponseStatus(HttpStatus.UNPROCESSABLE_CONTENT)
    void refuse() {}

    record NewOrder(String customer, long amount) {}

    record NewAmount(long amount) {}
}
