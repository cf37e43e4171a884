using System.Text;

namespace VectorPipe.Cluster.Members;

/// <summary>Who a node is.</summary>
/// <param name="Id">Its number, which its data folder keeps.</param>
/// <param name="Name">Its name, for people.</param>
/// <param name="Address">Where other nodes reach it: host and port.</param>
/// <param name="Protocol">The version of what it shares with other nodes.</param>
internal sealed record NodeIdentity(Guid Id, string Name, string Address, int Protocol = NodeProtocol.Version)
{
    private const string File = "node-id";

    /// <summary>The number that a data folder keeps, beside that of its cluster; one is made for a new folder.</summary>
    /// <param name="folder">The data folder.</param>
    /// <param name="cluster">The cluster that the node enters.</param>
    /// <param name="isNew">Whether the folder holds nothing that belongs to a node; only then a number is made.</param>
    /// <exception cref="IOException">
    /// The folder is one of another cluster, or has lost its number, or the file cannot be read or written, or holds something else.
    /// </exception>
    public static Guid IdOf(string folder, Guid cluster, bool isNew)
    {
        string path = Path.Combine(folder, File);
        if (!System.IO.File.Exists(path))
        {
            // The cluster would take it for another node, and its replicas for lost.
            return isNew
                ? Make(folder, path, cluster)
                : throw new IOException($"{path}: expected the number of the node whose replicas are in this folder, found no such file");
        }

        string text = System.IO.File.ReadAllText(path);
        string[] words = text.Split(' ');
        if (words.Length != 2 || !Guid.TryParse(words[0], out Guid id) || !Guid.TryParse(words[1], out Guid known))
            throw new IOException($"{path}: expected the numbers of a node and of its cluster, found '{text}'");

        // Its sets stand at positions of another log: to follow this one, they would leave out its beginning.
        if (known != cluster)
            throw new IOException($"{folder}: expected a new folder or one of a node of cluster {cluster}, found one of cluster {known}");
        return id;
    }

    private static Guid Make(string folder, string path, Guid cluster)
    {
        // Renamed when it is whole and on the disk: a crash leaves no half of a number.
        Directory.CreateDirectory(folder);
        var id = Guid.NewGuid();
        using (var file = new FileStream(path + ".new", FileMode.Create, FileAccess.Write))
        {
            file.Write(Encoding.ASCII.GetBytes($"{id} {cluster}"));
            file.Flush(flushToDisk: true);
        }

        System.IO.File.Move(path + ".new", path, overwrite: true);
        return id;
    }
}
