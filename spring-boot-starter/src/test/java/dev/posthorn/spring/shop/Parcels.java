package dev.posthorn.spring.shop;

import org.springframework.data.jpa.repository.JpaRepository;

public interface Parcels extends JpaRepository<Parcel, String> {}
