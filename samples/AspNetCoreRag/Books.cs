namespace AspNetCoreRag;

/// <summary>What the service knows from the start.</summary>
internal static class Books
{
    /// <summary>Summaries of old books.</summary>
    public static IEnumerable<Passage> Summaries() =>
    [
        new() { Id = 1, Source = "Moby-Dick", Year = 1851, Text = "A captain hunts the white whale that took his leg." },
        new() { Id = 2, Source = "Frankenstein", Year = 1818, Text = "A student gives life to a creature and flees from it." },
        new() { Id = 3, Source = "Dracula", Year = 1897, Text = "A count in a castle drinks blood and travels to England by ship." },
        new() { Id = 4, Source = "Robinson Crusoe", Year = 1719, Text = "A sailor lives alone on an island after his ship is lost." },
        new() { Id = 5, Source = "Treasure Island", Year = 1883, Text = "A boy sails with pirates to an island to find a treasure." },
        new() { Id = 6, Source = "The Time Machine", Year = 1895, Text = "A man travels to the far future and back." },
    ];
}
