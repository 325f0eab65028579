"""Write-once stores of bytes named by their digest."""
