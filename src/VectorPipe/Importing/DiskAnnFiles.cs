namespace VectorPipe.Importing;

/// <summary>The names of the files of a DiskANN index: a prefix (a folder and the beginning of their names) and endings.</summary>
internal sealed class DiskAnnFiles(string prefix)
{
    public string DiskIndex => prefix + "_disk.index";
    public string Codes => prefix + "_pq_compressed.bin";
    public string Pivots => prefix + "_pq_pivots.bin";

    /// <summary>Entry points of an index that was merged from several; optional.</summary>
    public string Medoids => DiskIndex + "_medoids.bin";

    /// <summary>A centroid per medoid; optional.</summary>
    public string Centroids => DiskIndex + "_centroids.bin";

    /// <summary>Whether the index was built with labels for filtered searches.</summary>
    public bool HasLabels => File.Exists(DiskIndex + "_labels.txt");

    /// <summary>Refuses an index whose files show that its vectors or codes were transformed.</summary>
    public void RefuseTransformed()
    {
        Refuse(
            Pivots + "_rotation_matrix.bin", "a plain product quantizer",
            "the rotation matrix of an optimized one (OPQ), which cannot be kept; build the index without --use_opq");
        Refuse(
            DiskIndex + "_max_base_norm.bin", "original vectors",
            "the norm of an inner-product index whose vectors were scaled and given one more dimension; build it anew from the original "
            + "vectors");
        Refuse(
            DiskIndex + "_pq_pivots.bin", "full vectors in the disk index",
            "the quantizer of an index with codes in their place (PQ_disk_bytes); build the index without it");
    }

    private static void Refuse(string path, string expected, string found)
    {
        if (File.Exists(path))
            throw VectorFormatException.ForFile(path, expected, found);
    }
}
