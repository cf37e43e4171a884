namespace VectorPipe.Tests.Crash;

/// <summary>The files on a disk after a loss of power: everything that was synced, and any part of the rest.</summary>
/// <remarks>Writes and names without a sync may be kept or lost in any combination and order; a write may be kept in part.</remarks>
/// <param name="directory">The directory whose syncs count; null if names are paths, so that each directory counts.</param>
/// <param name="before">The files that were on disk before the recording.</param>
/// <param name="operations">The operations before the loss.</param>
/// <param name="syncsHold">False for a disk that reports a sync and does nothing.</param>
/// <param name="numbers">Numbers that operations name files of before by; null if none of them is written to.</param>
internal sealed class PowerLoss(
    string? directory, IReadOnlyDictionary<string, byte[]> before, IReadOnlyList<StorageOperation> operations, bool syncsHold = true,
    IReadOnlyDictionary<string, int>? numbers = null)
{
    /// <summary>The operations before the loss.</summary>
    public IReadOnlyList<StorageOperation> Operations => operations;

    /// <summary>The operations that may be lost if the power fails before operation <paramref name="end"/>.</summary>
    public int[] Losable(int end) => [.. Enumerable.Range(0, end).Where(i => IsLosable(operations[i]) && !IsDurable(i, end))];

    /// <summary>The files on disk.</summary>
    /// <param name="end">The power fails before this operation.</param>
    /// <param name="kept">The kept part of each losable operation: bytes of a write; 0 or more than 0 for another.</param>
    public Dictionary<string, byte[]> Files(int end, IReadOnlyDictionary<int, int> kept)
    {
        var names = before.Keys.ToDictionary(name => name, name => numbers is null ? name : $"file {numbers[name]}");
        var contents = before.ToDictionary(file => names[file.Key], file => file.Value);
        HashSet<string> copied = [];
        HashSet<string> folders = ["", .. before.Keys.Select(name => Path.GetDirectoryName(name)!)];
        for (int i = 0; i < end; i++)
        {
            StorageOperation operation = operations[i];
            int keep = !IsLosable(operation) ? 0 : kept.GetValueOrDefault(i, int.MaxValue);
            if (keep == 0)
                continue;
            string file = $"file {operation.File}";
            switch (operation.Kind)
            {
                case StorageOperationKind.Create:
                    names[operation.Name] = file;
                    break;
                case StorageOperationKind.Write:
                    bool isCopy = !copied.Add(file);
                    contents[file] = Write(
                        contents.GetValueOrDefault(file, []), isCopy, operation, Math.Min(keep, operation.Bytes!.Length));
                    break;
                case StorageOperationKind.SetLength:
                    contents[file] = Resize(contents.GetValueOrDefault(file, []), (int)operation.Offset);
                    break;
                case StorageOperationKind.Rename:
                    names[operation.NewName] = file;
                    names.Remove(operation.Name);
                    break;
                case StorageOperationKind.CreateDirectory:
                    folders.Add(operation.Name);
                    break;
                case StorageOperationKind.DeleteDirectory:
                    folders.Remove(operation.Name);
                    foreach (string lost in names.Keys.Where(name => Path.GetDirectoryName(name) == operation.Name).ToArray())
                        names.Remove(lost);
                    break;
                default:
                    names.Remove(operation.Name);
                    break;
            }
        }

        // A directory that is lost takes its files along.
        if (directory is null)
        {
            foreach (string lost in names.Keys.Where(name => !IsThere(Path.GetDirectoryName(name)!, folders)).ToArray())
                names.Remove(lost);
        }

        return names.ToDictionary(name => name.Key, name => contents.GetValueOrDefault(name.Value, []));
    }

    private static bool IsThere(string folder, HashSet<string> folders) =>
        folder.Length == 0 || (folders.Contains(folder) && IsThere(Path.GetDirectoryName(folder)!, folders));

    private bool IsLosable(StorageOperation operation) => operation.Changes || (directory is null && operation.ChangesFolder);

    private bool IsDurable(int operation, int end) =>
        syncsHold
        && Enumerable.Range(operation, end - operation).Any(later => operations[operation].IsSyncedBy(operations[later], directory));

    private static byte[] Write(byte[] content, bool isCopy, StorageOperation write, int length)
    {
        int total = Math.Max(content.Length, (int)write.Offset + length);
        byte[] result = isCopy && total == content.Length ? content : Resize(content, total);
        write.Bytes.AsSpan(0, length).CopyTo(result.AsSpan((int)write.Offset));
        return result;
    }

    private static byte[] Resize(byte[] content, int length)
    {
        byte[] result = new byte[length];
        content.AsSpan(0, Math.Min(content.Length, length)).CopyTo(result);
        return result;
    }
}
