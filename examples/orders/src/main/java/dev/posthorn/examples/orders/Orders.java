package dev.posthorn.examples.orders;

import java.util.UUID;
import org.springframework.data.repository.CrudRepository;

interface Orders extends CrudRepository<PlacedOrder, UUID> {}
