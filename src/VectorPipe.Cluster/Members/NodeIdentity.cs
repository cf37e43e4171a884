namespace VectorPipe.Cluster.Members;

/// <summary>Who a node is.</summary>
/// <param name="Id">Its number, which its data folder keeps.</param>
/// <param name="Name">Its name, for people.</param>
/// <param name="Address">Where other nodes reach it: host and port.</param>
internal sealed record NodeIdentity(Guid Id, string Name, string Address)
{
    private const string File = "node-id";

    /// <summary>The number that a data folder keeps; one is made for a new folder.</summary>
    /// <exception cref="IOException">The file cannot be read or written, or holds something else.</exception>
    public static Guid IdOf(string folder)
    {
        string path = Path.Combine(folder, File);
        if (System.IO.File.Exists(path))
        {
            string text = System.IO.File.ReadAllText(path);
            return Guid.TryParse(text, out Guid found)
                ? found
                : throw new IOException($"{path}: expected the number of a node, found '{text}'");
        }

        // Renamed when it is whole: a crash leaves no half of a number.
        Directory.CreateDirectory(folder);
        var id = Guid.NewGuid();
        System.IO.File.WriteAllText(path + ".new", id.ToString());
        System.IO.File.Move(path + ".new", path, overwrite: true);
        return id;
    }
}
